"""`python -m clew`."""

import contextlib
import os
import sys

with contextlib.suppress(OSError):  # the directory is gone
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
        del sys.path[0]  # it may be the tree that is read: nothing in it is a module of Python's

from clew.serve.entry import main

main()
