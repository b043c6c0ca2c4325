"""Shared by conductor and model nodes: codecs of messages, names, quality of service, spinning."""
