"""The read path: a question in, hits out. Writes nothing."""
