"""`python -m opsetdocs`, the same as `opsetdocs`."""

from opsetdocs.cli import main

if __name__ == "__main__":
    main(prog_name="opsetdocs")
