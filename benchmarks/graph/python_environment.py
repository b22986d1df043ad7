"""The environments that checkers run in, made once under `.cache/graph`: never those of Clew or the user."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.graph.facts import CACHE
from benchmarks.graph.projects import Project


def environment(project: Project) -> Path:
    """One with the libraries that a project imports."""
    return installed(f"libraries-{project.name}", *project.libraries)


def installed(name: str, *requirements: str) -> Path:
    """A virtual environment with these packages."""
    folder = CACHE / "environments" / name
    ready = folder / ".ready"
    wanted = "\n".join(sorted(requirements))
    if not ready.exists() or ready.read_text("utf-8") != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if requirements:
            subprocess.run([*pip, *requirements], check=True, stderr=subprocess.DEVNULL)
        ready.write_text(wanted, encoding="utf-8")
    return folder
