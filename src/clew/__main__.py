"""`python -m clew`."""

from clew.serve.entry import main

main()
