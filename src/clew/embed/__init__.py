"""Text and code as vectors: the Encoder protocol and the bundled static model."""
