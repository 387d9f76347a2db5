"""opsetdocs: documentation sites for ONNX operator sets."""
