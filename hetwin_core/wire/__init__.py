"""Shared by both kinds of node: codecs of messages, names, quality of service, spinning."""
