"""Runs the suite: `python -m tests.conformance NODE SUITE`, where SUITE is the suite's index.js."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.conformance.fixtures import make_fixture
from tests.serve.serving import web

REVISIONS = ("2025-11-25", "2026-07-28")


def main(node: str, suite: str) -> int:
    """How many revisions of the protocol have a failure; none is expected."""
    failed = 0
    with tempfile.TemporaryDirectory() as home, web(Path(home), make=make_fixture, embedding="none") as server:
        for revision in REVISIONS:
            command = [node, suite, "server", "--url", f"{server.url}/mcp", "--spec-version", revision]
            failed += subprocess.run(command, check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
