"""Which packages and files may enter the training data, by name.

Everything named in `holdout.txt` stays out, in any spelling, as a package, a sub-package or a vendored copy, so that
every evaluation stays honest. Tests, vendored and generated code stay out too. Main calls: `held_out`, `usable_path`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

HOLDOUT = Path(__file__).with_name("holdout.txt")
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_PREFIX = re.compile(r"^(?:python3?|py|golang|node|ruby|rust|haskell|php|lua|elixir|erlang|go|lib|github|gopkg)-")
_SKIPPED_PARTS = frozenset(
    "test tests testing testdata test_data __tests__ spec specs fixtures mock mocks __mocks__ example examples samples "
    "demo demos vendor vendored _vendor vendors third_party thirdparty third-party 3rdparty external extern externals "
    "deps bundled contrib_vendor node_modules site-packages generated gen _generated bench benches benchmark "
    "benchmarks debian docs doc locale locales migrations".split()
)
_SKIPPED_FILE = re.compile(
    r"(?:^test_|_test\.|\.test\.|\.spec\.|_spec\.rb|_tests?\.py|tests?\.(?:java|kt|cs|swift|scala|php)$"
    r"|\.min\.|\.pb\.|_pb2|\.g\.|\.generated\.|_generated|\.bundle\.|\.umd\.|^conftest\.|^setup\.py$)",
    re.IGNORECASE,
)
# Extensions of a held-out project that share nothing with it but its name.
_OWN_PROJECTS = re.compile(r"^react-native-|^@react-native|^expo-")
# Parts of held-out projects that do not bear their names.
_ALIASES = re.compile(
    r"\bk8s\b|\blibspring\b|\billuminate\b|\blib(?:gtest|gmock|absl|fmt)"
    r"|^ruby-(?:action(?:cable|mailbox|mailer|pack|text|view)|active(?:job|model|record|storage|support)|railties)$"
)


@cache
def _names() -> frozenset[str]:
    return frozenset(_squash(line) for line in HOLDOUT.read_text("utf-8").split() if line.strip())


def held_out(package: str) -> bool:
    """Whether a package is, or is a part of, one of the projects kept for evaluation."""
    name = package.lower()
    if _OWN_PROJECTS.search(name):
        return False
    if _ALIASES.search(name):
        return True
    parts = [part for part in _SEPARATORS.split(name) if part]
    runs = {"".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)}
    runs |= {run.rstrip("0123456789") for run in runs}
    runs |= {run.removeprefix("lib") for run in runs}
    names = _names()
    stripped = {_squash(_strip(name)), _squash(name)}
    endings = ("js", "py", "rs", "c", "cpp", "java", "lib", "core", "src", "ng", "hs")
    stripped |= {s.removesuffix(e) for s in stripped for e in endings if len(s) > len(e) + 2}
    stripped |= {s.rstrip("0123456789.") for s in stripped}
    stripped |= {s.removeprefix("lib") for s in stripped}
    return bool(stripped & names) or bool(runs & names)


def usable_path(path: str) -> bool:
    """Whether a file is hand-written source of the package itself and no copy of a held-out project."""
    *folders, name = path.lower().split("/")
    if any(part in _SKIPPED_PARTS or part.startswith(".") for part in folders[1:]) or _SKIPPED_FILE.search(name):
        return False
    names = _names()
    stem = _squash(name.partition(".")[0])
    return stem not in names and not any(_squash(part) in names for part in folders[1:])


def _strip(name: str) -> str:
    before = ""
    while before != name:
        before, name = name, _PREFIX.sub("", name)
    return name


def _squash(name: str) -> str:
    return _SEPARATORS.sub("", name.lower())
