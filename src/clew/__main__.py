"""`python -m clew`."""

from clew.serve.cli import main

main()
