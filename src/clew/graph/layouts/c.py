"""Which file an `#include` of C or C++ means: one beside the includer, else one below an include root of the tree."""

from __future__ import annotations

import posixpath

from clew.graph.layouts.tree import Place, Tree, join

SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp")
_SYSTEM = frozenset(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic"
    " stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype unistd fcntl poll"
    " pthread dirent dlfcn netdb pwd grp sched semaphore syslog termios utime windows winsock2 ws2tcpip io process"
    " direct malloc memory".split()
)


class CLayout:
    """Headers and sources in a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def find(self, importer: str, module: str) -> Place | None:
        """The file that an include means."""
        stem, _, extension = module.rpartition(".")
        if not extension or (extension == "h" and stem in _SYSTEM) or not stem:
            return None  # `<vector>` and the like
        beside = join(posixpath.dirname(importer), module)
        if beside in self._tree.files:
            return Place(beside)
        tail = module
        while tail.startswith("../"):
            tail = tail[3:]
        if tail.startswith("sys/"):
            return None
        found = [
            path
            for path in self._tree.by_name.get(posixpath.basename(tail), ())
            if path == tail or path.endswith(f"/{tail}")
        ]
        nearest = nearest_of(importer, found)
        return Place(nearest[0]) if nearest else None

    def sources(self) -> list[str]:
        """All files of the tree that may define something."""
        return [path for path in sorted(self._tree.files) if path.endswith(SOURCES)]


def nearest_of(path: str, others: list[str]) -> list[str]:
    """Those of some paths that have most directories in common with a path."""
    if len(others) < 2:
        return others
    shared = {other: _shared(path, other) for other in others}
    most = max(shared.values())
    return [other for other in others if shared[other] == most]


def _shared(one: str, other: str) -> int:
    count = 0
    for mine, yours in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if mine != yours:
            break
        count += 1
    return count
