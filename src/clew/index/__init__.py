"""The write path: content in, facts stored, snapshot flipped. Knows no paths of the machine."""
