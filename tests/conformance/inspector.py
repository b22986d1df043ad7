"""The MCP inspector's command line against `clew mcp`, over stdio: it lists the tools and calls each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from clew.serve import schemas
from tests.conftest import make_engine, write_tree

FILES = {"app.py": "def alpha():\n    found = beta()\n    return found\n\n\ndef beta():\n    return 1\n"}
CALLS: dict[str, dict[str, Any]] = {
    "search_codebase": {"query": "alpha", "limit": 2},
    "search_text": {"query": "beta", "max_results": 5},
    "get_symbol": {"name": "alpha"},
    "get_references": {"name": "beta"},
    "call_graph": {"name": "alpha", "direction": "callees"},
    "repo_map": {"focus": ["app.py"], "max_tokens": 600},
    "def_use": {"file": "app.py", "line": 2, "variable": "found"},
    "import_graph": {},
    "file_outline": {"file": "app.py", "name": "alpha"},
    "read_file": {"path": "{root}/app.py", "start_line": 1, "end_line": 2, "mode": "annotated"},
    "manage_index": {"action": "status", "path": "{root}"},
    "set_scope": {"scope": {"languages": ["python"]}},
    "get_scope": {},
    "clear_scope": {},
    "list_paths": {"include_globs": ["*.py"]},
    "semantic_search": {"query": "alpha"},
    "find_similar": {"file": "app.py", "start_line": 1, "end_line": 2},
    "list_codebases": {},
}


def check(node: str, inspector: str, folder: Path) -> int:
    """How many tools were not answered as they should be."""
    root = write_tree(folder / "tree", FILES)
    engine = make_engine(folder / "home", embedding="none")
    engine.index(str(root))
    engine.close()
    settings = ["-e", f"CLEW_HOME={folder / 'home'}", "-e", "CLEW_EMBEDDING=none"]  # it hands on nothing by itself

    def ask(method: str, *more: str) -> Any:
        command = [node, inspector, "--cli", sys.executable, "-m", "clew", "mcp", "--profile", "full"]
        done = subprocess.run(
            [*command, *settings, "--method", method, *more],
            cwd=root,
            env={**os.environ, "HOME": str(folder)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"inspector {method} {more}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    listed = [tool["name"] for tool in ask("tools/list")["tools"]]
    wanted = [spec.name for spec in schemas.specs()]
    assert listed == wanted == list(CALLS), (listed, wanted)
    failed = 0
    for tool, arguments in CALLS.items():
        given = json.loads(json.dumps(arguments).replace("{root}", str(root)))
        pairs = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in given.items()]
        found = ask("tools/call", "--tool-name", tool, *(["--tool-arg", *pairs] if pairs else []))
        is_well = not found.get("isError") and found["structuredContent"]["status"] == "ok"
        print(f"{'✓' if is_well else '✗'} inspector calls {tool}")
        failed += not is_well
    return failed
