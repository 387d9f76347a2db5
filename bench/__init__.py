"""What opsetdocs costs: `python -m bench`."""
