"""The rules that come with hetwin, as files of queries."""
