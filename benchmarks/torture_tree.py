"""A tree of a few hundred files that changes at random, as people and git change one; for `torture`.

Names of moved files and directories are never used again, so that a file with old time stamps is an old file.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import subprocess
from pathlib import Path
from typing import Any

_STAMP = re.compile(rb"stamp_\d+")
_ENDINGS = (".py",) * 8 + (".js", ".md", ".txt", ".json")


class Tree:
    """The tree at `root`, a git repository; `chance` decides what happens to it."""

    def __init__(self, root: Path, chance: random.Random, files: int) -> None:
        self.root, self._chance, self._serial = root, chance, 0
        for _ in range(files):
            self._add()
        self._write(".gitignore", b"*.log\n")
        self._git("init", "-q")
        self._commit()

    def change(self) -> None:
        """A few random changes; now and then very many, so that a sync has something to do."""
        kinds = [self._edit] * 6 + [self._replace] * 3 + [self._edit_slyly] * 2 + [self._add] * 3 + [self._copy]
        kinds += [self._move] * 3 + [self._remove] * 3 + [self._move_directory, self._ignore, self._commit]
        for _ in range(self._chance.randint(1, 14)):
            self._chance.choice(kinds)()
        if self._chance.random() < 0.4:
            for key in self._chance.sample(files := sorted(self.files()), len(files) // 3):
                self._write(key, self._text(key))
        if self._chance.random() < 0.04:
            self._git("reset", "-q", "--hard")

    def files(self) -> set[str]:
        """What an index of the tree must list, as git sees it."""
        listed = self._git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        return {key for key in listed if key and (self.root / key).is_file()}

    def manifest(self) -> dict[str, Any]:
        """Every file with its hash, and every stamp with the files that hold it."""
        contents = {key: (self.root / key).read_bytes() for key in sorted(self.files())}
        stamps: dict[str, list[str]] = {}
        for key, content in contents.items():
            if key.endswith(".py") and (found := _STAMP.search(content)):
                stamps.setdefault(found.group().decode(), []).append(key)
        return {"hashes": {key: blob_hash(content) for key, content in contents.items()}, "stamps": stamps}

    def _edit(self) -> None:
        key = self._any()
        self._write(key, self._text(key))

    def _replace(self) -> None:
        """As editors save: a new file takes the old one's name."""
        key, draft = self._any(), self.root.parent / "draft"
        draft.write_bytes(self._text(key))
        os.replace(draft, self.root / key)

    def _edit_slyly(self) -> None:
        """Another content of the same size, under the old time of change."""
        path = self.root / self._any()
        before = path.stat()
        digits = str(self._chance.randint(10**5, 10**6 - 1)).encode()
        path.write_bytes(re.sub(rb"edition \d{6}", b"edition " + digits, path.read_bytes()))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def _add(self) -> None:
        key = self._new_key()
        self._write(key, self._text(key))

    def _copy(self) -> None:
        source = self._any()
        self._write(self._new_key(os.path.splitext(source)[1]), (self.root / source).read_bytes())

    def _move(self) -> None:
        source = self._any()
        target = self.root / self._new_key(os.path.splitext(source)[1])
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(self.root / source, target)

    def _move_directory(self) -> None:
        found = sorted(path for path in self.root.glob("d*") if path.is_dir())
        if found:
            os.rename(self._chance.choice(found), self.root / f"d{self._next()}")

    def _remove(self) -> None:
        (self.root / self._any()).unlink()

    def _ignore(self) -> None:
        """Another rule, at the top or in a directory; what git tracks stays in."""
        place = self._chance.choice(["", *sorted(path.name + "/" for path in self.root.glob("d*"))])
        ending = self._chance.choice(_ENDINGS)
        self._write(f"{place}.gitignore", f"*.log\nm*{self._chance.randint(0, 9)}{ending}\n".encode())

    def _commit(self) -> None:
        self._git("add", "-A")
        self._git("commit", "-qm", "a change", "--allow-empty")

    def _any(self) -> str:
        return self._chance.choice(sorted(self.files() - {".gitignore"}))

    def _new_key(self, ending: str = "") -> str:
        directories = sorted(path.name for path in self.root.glob("d*")) if self._serial > 9 else []
        directory = self._chance.choice(directories) if len(directories) > 8 else f"d{self._next()}"
        return f"{directory}/m{self._next()}{ending or self._chance.choice(_ENDINGS)}"

    def _text(self, key: str) -> bytes:
        """A content of its own; modules are long enough that parsing them takes a while.

        What `dump.QUESTIONS` ask for is rare: of very many equally good chunks, any may be among the candidates."""
        serial, edition = self._next(), self._chance.randint(10**5, 10**6 - 1)
        if key.endswith(".json"):
            return f'{{"value": "edition {edition}"}}\n'.encode()
        if not key.endswith(".py"):
            return f"# README alpha {serial}\n\nedition {edition}\n\nhow is the total computed\n".encode()
        functions = [
            f"def function_{serial}_{i}(amount, other={i}):\n"
            + "".join(f"    step_{j} = work_{j}(amount + {j}, other, serial={serial})\n" for j in range(12))
            + "    return step_3\n\n\n"
            for i in range(self._chance.randint(14, 22))
        ]
        head = f"# edition {edition}\ndef stamp_{serial}():\n    return {serial}\n\n\n"
        return (head + "".join(functions) + "class Gamma:\n    def delta(self):\n        return 1\n").encode()

    def _write(self, key: str, content: bytes) -> None:
        path = self.root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def _next(self) -> int:
        self._serial += 1
        return self._serial

    def _git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=Ariadne", "-c", "user.email=ariadne@example.invalid", "-c", "gc.auto=0")
        done = subprocess.run(
            ["git", *identity, "-c", "commit.gpgsign=false", *arguments],
            cwd=self.root,
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        )
        return done.stdout


def blob_hash(content: bytes) -> str:
    """The name that git gives to a content; computed here, not by what is tested."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
