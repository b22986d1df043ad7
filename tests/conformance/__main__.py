"""Runs the official suite and the inspector: `python -m tests.conformance NODE SUITE INSPECTOR`, scripts of the two."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.conformance import inspector
from tests.conformance.fixtures import make_fixture
from tests.serve.serving import web

REVISIONS = ("2025-11-25", "2026-07-28")
# What may fail, by the beginning of a scenario's name, and why. Whatever a revision requires is not among them.
EXPECTED = {
    "tasks-": "Tasks are an extension that Clew does not offer: its long work is jobs, which `manage_index` tells of"
}


def main(node: str, suite: str, inspector_script: str) -> int:
    """How much went wrong; nothing may."""
    with tempfile.TemporaryDirectory() as folder:
        with web(Path(folder) / "served", make=make_fixture, embedding="none") as server:
            failed = sum(_failures(node, suite, f"{server.url}/mcp", revision) for revision in REVISIONS)
        return failed + inspector.check(node, inspector_script, Path(folder) / "inspected")


def _failures(node: str, suite: str, url: str, revision: str) -> int:
    """Every scenario that a revision requires, and those that it does not: how many fail that should not."""
    command = [node, suite, "server", "--url", url, "--requirements", revision]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    summary = done.stdout.partition("=== SUMMARY ===")[2]
    ran = re.findall(r"^([✓✗]) ([\w-]+):", summary, re.MULTILINE)
    wrong = [name for mark, name in ran if mark == "✗" and not name.startswith(tuple(EXPECTED))]
    print(f"MCP {revision}: {len(ran)} scenarios, {len(wrong)} wrong{summary.rstrip()}\n")
    if wrong or done.returncode or not ran:
        print(done.stdout, done.stderr, sep="\n")
    return len(wrong) or int(done.returncode != 0 or not ran)


if __name__ == "__main__":
    sys.exit(main(*(str(Path(name).absolute()) for name in sys.argv[1:])))
