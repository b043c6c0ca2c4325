"""The closed expression language of preconditions and arguments: CEL, the Common Expression Language."""
