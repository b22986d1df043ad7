"""Which file an `#include` of C or C++ means: one beside the includer, else one below an include root of the tree."""

from __future__ import annotations

import posixpath

from clew.graph.layouts.tree import Place, Tree, join, nearest

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
        path = nearest(found, importer)
        return Place(path) if path is not None else None

    def inside(self, _place: Place, _name: str, _importer: str) -> Place | None:
        """Nothing: what a file includes has its own names."""
        return None

    def sources(self) -> list[str]:
        """All files of the tree that may define something."""
        return [path for path in sorted(self._tree.files) if path.endswith(SOURCES)]
