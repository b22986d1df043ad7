"""The watch: every change is told right after the call that made it, or it is said that all must be looked at."""

from __future__ import annotations

import ctypes
import errno
import io
import mmap
import os
import shutil
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.source import watch as watching
from clew.source.watch import InotifyWatch, NotifyWatch, Touched, is_local, open_watch
from tests.conftest import write_tree

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
NOTHING = Touched(frozenset(), False)
WHOLE = True
FILES = {"a.py": "x = 1\n", "b.py": "y = 1\n", "pkg/b.py": "y = 2\n", "pkg/deep/c.py": "z = 3\n"}
PREFIXES = ("", "pkg/", "pkg/deep/")


@pytest.fixture
def tree(root: Path) -> Path:
    """A watched tree's files, with a neighbour outside it."""
    write_tree(root.parent / "outside", {"o.py": "o = 1\n", "folder/p.py": "p = 1\n"})
    return write_tree(root, FILES)


@pytest.fixture
def watch(tree: Path) -> Iterator[InotifyWatch]:
    made = InotifyWatch(str(tree))
    assert made.add(PREFIXES) == len(PREFIXES)
    assert made.drain() == NOTHING
    yield made
    made.close()


def _outside(tree: Path) -> Path:
    return tree.parent / "outside"


def _append(path: Path) -> None:
    with path.open("a") as file:
        file.write("more = 1\n")


def _copy_range(tree: Path) -> None:
    with (tree / "b.py").open("rb") as source, (tree / "a.py").open("r+b") as target:
        os.copy_file_range(source.fileno(), target.fileno(), 3)


def _allocate(path: Path) -> None:
    with path.open("r+b") as file:
        os.posix_fallocate(file.fileno(), 0, 4_096)


def _write_mapped(path: Path) -> None:
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[0:1] = b"y"


def _exchange(one: Path, other: Path) -> None:
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(here, os.fsencode(one), here, os.fsencode(other), exchange):
        pytest.skip(f"this file system cannot exchange two files: {os.strerror(ctypes.get_errno())}")


def _save_like_an_editor(path: Path) -> None:
    draft = path.with_suffix(".tmp")
    draft.write_text("x = 2\n")
    draft.replace(path)


# What is done, and the keys that must be told; WHOLE where only a look at everything can tell.
CHANGES: dict[str, tuple[Callable[[Path], object], set[str] | bool]] = {
    "create": (lambda t: (t / "new.py").touch(), {"new.py"}),
    "create deep down": (lambda t: (t / "pkg/deep/new.py").touch(), {"pkg/deep/new.py"}),
    "write": (lambda t: (t / "pkg/b.py").write_text("y = 9\n"), {"pkg/b.py"}),
    "write the same again": (lambda t: (t / "a.py").write_text(FILES["a.py"]), {"a.py"}),
    "append": (lambda t: _append(t / "a.py"), {"a.py"}),
    "truncate": (lambda t: os.truncate(t / "a.py", 0), {"a.py"}),
    "copy a range into": (_copy_range, {"a.py"}),
    "allocate": (lambda t: _allocate(t / "a.py"), {"a.py"}),
    "write through mapped memory, when it is closed": (lambda t: _write_mapped(t / "a.py"), {"a.py"}),
    "chmod": (lambda t: (t / "a.py").chmod(0o600), {"a.py"}),
    "change times": (lambda t: os.utime(t / "a.py", ns=(1, 1)), {"a.py"}),
    "rename": (lambda t: (t / "a.py").rename(t / "z.py"), {"a.py", "z.py"}),
    "rename into another directory": (lambda t: (t / "a.py").rename(t / "pkg/z.py"), {"a.py", "pkg/z.py"}),
    "rename over": (lambda t: (t / "a.py").replace(t / "b.py"), {"a.py", "b.py"}),
    "exchange": (lambda t: _exchange(t / "a.py", t / "pkg/b.py"), {"a.py", "pkg/b.py"}),
    "rename in": (lambda t: (_outside(t) / "o.py").rename(t / "o.py"), {"o.py"}),
    "rename out": (lambda t: (t / "a.py").rename(_outside(t) / "a.py"), {"a.py"}),
    "save like an editor": (lambda t: _save_like_an_editor(t / "a.py"), {"a.py", "a.tmp"}),
    "link in": (lambda t: os.link(_outside(t) / "o.py", t / "linked.py"), {"linked.py"}),
    "link within": (lambda t: os.link(t / "a.py", t / "pkg/linked.py"), {"pkg/linked.py"}),
    "symbolic link": (lambda t: (t / "soft.py").symlink_to("a.py"), {"soft.py"}),
    "pipe": (lambda t: os.mkfifo(t / "pipe"), {"pipe"}),
    "delete": (lambda t: (t / "pkg/deep/c.py").unlink(), {"pkg/deep/c.py"}),
    "a name that is no text": (lambda t: (t / os.fsdecode(b"\xff.py")).touch(), {"\udcff.py"}),
    "directory made": (lambda t: (t / "new").mkdir(), WHOLE),
    "directory made with files": (lambda t: write_tree(t, {"new/deep/a.py": "n = 1\n"}), WHOLE),
    "directory removed": (lambda t: shutil.rmtree(t / "pkg"), WHOLE),
    "directory renamed": (lambda t: (t / "pkg").rename(t / "package"), WHOLE),
    "directory moved in": (lambda t: (_outside(t) / "folder").rename(t / "folder"), WHOLE),
    "directory moved out": (lambda t: (t / "pkg").rename(_outside(t) / "pkg"), WHOLE),
    "directory closed to others": (lambda t: (t / "pkg").chmod(0o700), WHOLE),
    "root renamed": (lambda t: t.rename(t.parent / "elsewhere"), WHOLE),
    "root removed": (lambda t: shutil.rmtree(t), WHOLE),
}


@linux_only
@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_told_at_once(tree: Path, watch: InotifyWatch, change: str) -> None:
    act, expected = CHANGES[change]
    act(tree)
    told = watch.drain()
    if expected is WHOLE:
        assert told.whole
    else:
        assert told == Touched(frozenset(expected), False)  # type: ignore[arg-type]
    assert watch.drain() == NOTHING, "told once"


@linux_only
@pytest.mark.parametrize("look", ["read", "list", "stat", "nothing"])
def test_looking_is_no_change(tree: Path, watch: InotifyWatch, look: str) -> None:
    if look == "read":
        (tree / "a.py").read_text()
    elif look == "list":
        list((tree / "pkg").iterdir())
    elif look == "stat":
        (tree / "a.py").stat()
    (_outside(tree) / "o.py").write_text("o = 2\n")
    assert watch.drain() == NOTHING


@linux_only
def test_a_file_is_told_while_it_is_still_being_written(tree: Path, watch: InotifyWatch) -> None:
    with (tree / "a.py").open("r+") as file:
        assert watch.drain() == NOTHING
        file.write("x = 2\n")
        file.flush()
        assert watch.drain().keys == {"a.py"}
        file.write("x = 3\n")
    assert watch.drain().keys == {"a.py"}


@linux_only
def test_a_thousand_files_at_once(tree: Path, watch: InotifyWatch) -> None:
    names = {f"burst{i}.py" for i in range(1_000)}
    for name in names:
        (tree / name).touch()
    told = watch.drain()
    assert told.whole or told.keys == names
    assert watch.drain() == NOTHING


@linux_only
def test_a_queue_that_runs_over(tree: Path, watch: InotifyWatch) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 100_000:
        pytest.skip(f"it would take {limit} changes")
    for i in range(limit + 10):  # equal events in a row would be told as one
        os.utime(tree / ("a.py", "b.py")[i % 2])
    (tree / "lost.py").touch()
    assert watch.drain().whole
    (tree / "next.py").touch()
    assert watch.drain() == Touched(frozenset({"next.py"}), False)


@linux_only
@pytest.mark.parametrize(
    ("mask", "is_known", "whole"),
    [
        (0x4000, False, True),  # the queue ran over: the kernel says -1 for the directory
        (0x2000, True, True),  # the file system was taken away
        (0x8000, True, True),  # the watch is gone
        (0x400, True, True),  # the directory is gone
        (0x800, True, True),  # the directory has moved
        (0x40000100, True, True),  # a directory came
        (0x2, False, True),  # a directory that was never asked for
        (0x2, True, False),
    ],
)
def test_what_the_kernel_may_say(
    tree: Path, watch: InotifyWatch, monkeypatch: pytest.MonkeyPatch, mask: int, is_known: bool, whole: bool
) -> None:
    (tree / "a.py").touch()
    real = os.read(watch._queue, 4_096)
    number = struct.unpack_from("i", real)[0] if is_known else -1
    name = b"a.py".ljust(16, b"\0")
    answers = [struct.pack("iIII", number, mask, 0, len(name)) + name]

    def read(descriptor: int, size: int) -> bytes:
        if descriptor == watch._queue and answers:
            return answers.pop()
        return os_read(descriptor, size)

    os_read = os.read
    monkeypatch.setattr("clew.source.watch.os.read", read)
    told = watch.drain()
    assert told.whole is whole
    assert told.keys == (frozenset() if whole else {"a.py"})


@linux_only
def test_directories_are_added_once(tree: Path, watch: InotifyWatch) -> None:
    assert watch.add(PREFIXES) == 0
    write_tree(tree, {"new/a.py": "n = 1\n"})
    assert watch.drain().whole
    assert watch.add((*PREFIXES, "new/")) == 1
    (tree / "new/a.py").write_text("n = 2\n")
    assert watch.drain() == Touched(frozenset({"new/a.py"}), False)


@linux_only
def test_a_directory_that_is_not_there_any_more(tree: Path, watch: InotifyWatch) -> None:
    (tree / "soft").symlink_to("pkg")
    watch.drain()
    for prefix in ("gone/", "a.py/", "soft/"):
        assert watch.add([prefix]) == 0
        assert watch.drain() == Touched(frozenset(), True), prefix
        assert watch.drain() == NOTHING


@linux_only
def test_one_directory_by_two_names_is_never_proof(tree: Path, watch: InotifyWatch) -> None:
    (tree / "pkg").rename(tree / "package")
    watch.drain()
    assert watch.add(["package/"]) == 1
    assert watch.drain().whole


@linux_only
def test_a_limit_of_the_system_is_an_error(tree: Path, watch: InotifyWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def inotify_init1(self, _: int) -> int:
            ctypes.set_errno(errno.EMFILE)
            return -1

        def inotify_add_watch(self, *_: object) -> int:
            ctypes.set_errno(errno.ENOSPC)
            return -1

    (tree / "more").mkdir()
    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space") as failure:
        patch.setattr(watch, "_libc", Full())
        watch.add(["more/"])
    assert failure.value.errno == errno.ENOSPC
    with monkeypatch.context() as patch, pytest.raises(OSError, match="Too many open files"):
        patch.setattr("clew.source.watch.ctypes.CDLL", lambda *_, **__: Full())
        InotifyWatch(str(tree))


@linux_only
def test_waiting(tree: Path, watch: InotifyWatch) -> None:
    assert not watch.wait(0) and not watch.wait(-1)
    watch.wake()
    watch.wake()
    assert watch.wait(60)
    assert not watch.wait(0), "a wake is heard once"
    (tree / "a.py").touch()
    assert watch.wait(60) and watch.wait(60), "what is not taken up stays"
    watch.drain()
    assert not watch.wait(0)


@linux_only
def test_a_change_ends_a_wait_that_is_under_way(tree: Path, watch: InotifyWatch) -> None:
    heard = threading.Event()
    waiter = threading.Thread(target=lambda: heard.set() if watch.wait(60) else None)
    waiter.start()
    (tree / "a.py").touch()
    waiter.join(60)
    assert heard.is_set()


@linux_only
def test_threads_that_take_up_at_once_miss_nothing(tree: Path, watch: InotifyWatch) -> None:
    names = {f"n{i}.py" for i in range(500)}
    found: list[str] = []
    done = threading.Event()

    def take() -> None:
        while not done.is_set():
            found.extend(watch.drain().keys)

    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for name in names:
        os.mknod(tree / name)  # one event each
    done.set()
    for thread in threads:
        thread.join()
    found.extend(watch.drain().keys)
    assert sorted(found) == sorted(names)


@linux_only
def test_nothing_stays_open(tree: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        made = open_watch(str(tree))
        made.add(PREFIXES)
        made.wake()
        made.close()
    assert len(os.listdir("/proc/self/fd")) == before


# -- elsewhere: watchfiles, which wakes and proves nothing --------------------------------------------


@pytest.fixture
def notify(tree: Path) -> Iterator[NotifyWatch]:
    made = NotifyWatch(str(tree))
    assert made.add(PREFIXES) == len(PREFIXES) and made.add(PREFIXES) == 0
    yield made
    made.close()


def test_it_never_claims_that_nothing_happened(notify: NotifyWatch) -> None:
    assert not NotifyWatch.proves
    assert notify.drain() == notify.drain() == Touched(frozenset(), True)


def test_it_wakes(tree: Path, notify: NotifyWatch) -> None:
    notify.wake()
    assert notify.wait(0) and not notify.wait(0)
    deadline = time.monotonic() + 60
    while not notify.wait(0.5):  # its thread may not be looking yet
        assert time.monotonic() < deadline
        _append(tree / "pkg/deep/c.py")


def test_its_thread_ends_with_it(tree: Path) -> None:
    before = threading.active_count()
    made = NotifyWatch(str(tree))
    made.add(PREFIXES)
    assert threading.active_count() > before
    made.close()
    assert threading.active_count() == before
    NotifyWatch(str(tree)).close()  # one that never began


def test_a_tree_it_cannot_watch_only_wakes(tree: Path) -> None:
    made = NotifyWatch(str(tree / "gone"))
    made.add([""])
    assert made.wait(60)
    made.close()


# -- where watching can be trusted --------------------------------------------------------------------


def _mounted(monkeypatch: pytest.MonkeyPatch, *mounts: tuple[str, str]) -> None:
    """Let the system seem to have these file systems (place, kind) mounted, one over the other."""
    lines = [
        f"{20 + i} 1 0:{i} / {place} rw,relatime shared:{i} master:1 - {kind} source rw,size=1k\n"
        for i, (place, kind) in enumerate(mounts)
    ]

    def read(path: str, **_: Any) -> io.StringIO:
        assert path == "/proc/self/mountinfo"
        return io.StringIO("".join(lines))

    monkeypatch.setattr(watching, "open", read, raising=False)


PLACES: list[tuple[str, list[tuple[str, str]], bool]] = [
    ("/home/me/tree", [("/", "ext4")], True),
    ("/home/me/tree", [("/", "overlay"), ("/proc", "proc")], True),
    ("/home/me/tree", [("/", "ext4"), ("/home", "nfs4")], False),
    ("/home/me/tree", [("/", "nfs4"), ("/home", "ext4")], True),
    ("/home/me/tree", [("/", "ext4"), ("/home/me/tree", "fuse.sshfs")], False),
    ("/home/me/tree", [("/", "ext4"), ("/home/me/tree", "nfs"), ("/home/me/tree", "xfs")], True),
    ("/home/me/tree", [("/", "ext4"), ("/home/me/tree", "xfs"), ("/home/me/tree", "cifs")], False),
    ("/home/me/tree", [("/", "ext4"), ("/home/me/tree/vendor", "9p")], False),
    ("/home/me/tree", [("/", "ext4"), ("/home/me/tree/vendor", "tmpfs")], True),
    ("/home/me/tree", [("/", "ext4"), ("/home/me/tree-old", "nfs")], True),
    ("/home/me/tree", [("/", "ext4"), ("/home/me/tre", "nfs")], True),
    ("/home/my tree/x", [("/", "ext4"), (r"/home/my\040tree", "nfs")], False),
    ("/home/my tree/x", [("/", "nfs"), (r"/home/my\040tree", "btrfs")], True),
    ("/home/mé tree/x", [("/", "ext4"), (r"/home/mé\040tree", "nfs")], False),
    (r"/home/a\b/x", [("/", "ext4"), (r"/home/a\134b", "nfs")], False),
    ("/", [("/", "ext4")], True),
    ("/", [("/", "ext4"), ("/mnt/share", "smb3")], False),
    ("/home/me/tree", [("/mnt", "ext4")], False),
    ("/home/me/tree", [], False),
    ("/home/me/tree", [("/", "somethingnew")], False),
]


@pytest.mark.parametrize(("root_path", "mounts", "expected"), PLACES)
def test_only_file_systems_of_this_kernel_are_local(
    monkeypatch: pytest.MonkeyPatch, root_path: str, mounts: list[tuple[str, str]], expected: bool
) -> None:
    _mounted(monkeypatch, *mounts)
    assert is_local(root_path) is expected


def test_without_a_list_of_mounts_nothing_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "refused")

    monkeypatch.setattr(watching, "open", refuse, raising=False)
    assert not is_local("/home")


@linux_only
def test_a_remote_tree_gets_no_watch(monkeypatch: pytest.MonkeyPatch, tree: Path) -> None:
    _mounted(monkeypatch, ("/", "nfs4"))
    with pytest.raises(OSError, match="remote") as failure:
        open_watch(str(tree))
    assert failure.value.errno == errno.ENOTSUP


@pytest.mark.parametrize(
    ("platform", "kind"), [("linux", InotifyWatch), ("darwin", NotifyWatch), ("win32", NotifyWatch)]
)
def test_each_system_gets_its_own(
    monkeypatch: pytest.MonkeyPatch, tree: Path, platform: str, kind: type[InotifyWatch | NotifyWatch]
) -> None:
    if kind is InotifyWatch and sys.platform != "linux":
        pytest.skip("inotify is Linux's")
    monkeypatch.setattr("clew.source.watch.sys.platform", platform)
    made = open_watch(str(tree))
    assert isinstance(made, kind)
    made.close()
