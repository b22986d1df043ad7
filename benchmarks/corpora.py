"""Corpora from the package registries, unpacked once under `.cache/corpora` and never committed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

CACHE = Path(__file__).resolve().parent.parent / ".cache" / "corpora"


def django(version: str = "5.2") -> Path:
    """The Django source tree, from its sdist."""
    return _sdist("Django", version)


def npm(name: str, version: str) -> Path:
    """The source tree of an npm package."""
    target = CACHE / f"npm-{name}-{version}"
    if not target.exists():
        work = _fresh(target)
        subprocess.run(
            ["npm", "pack", "--silent", f"{name}@{version}"], cwd=work, check=True, stdout=subprocess.DEVNULL
        )
        _unpack(next(work.glob("*.tgz")), target)
    return target


def wheel(name: str, version: str) -> Path:
    """The modules of a wheel that fits every platform."""
    target = CACHE / "packages" / f"{name}-{version}"
    if not target.exists():
        work = _fresh(target)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "--platform", "any", "--dest", str(work), f"{name}=={version}"], check=True)
        with zipfile.ZipFile(next(work.glob("*.whl"))) as archive:
            archive.extractall(work, [member for member in archive.namelist() if member.endswith((".py", ".pyi"))])
        next(work.glob("*.whl")).unlink()
        work.rename(target)
    return target


def _sdist(name: str, version: str) -> Path:
    target = CACHE / f"{name}-{version}"
    if not target.exists():
        work = _fresh(target)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", str(work), f"{name}=={version}"], check=True)
        _unpack(next(work.glob("*.tar.gz")), target)
    return target


def _fresh(target: Path) -> Path:
    work = target.with_suffix(".download")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return work


def _unpack(archive: Path, target: Path) -> None:
    """Unpack an archive whose files lie in one folder; the target appears whole or not at all."""
    with tarfile.open(archive) as tar:
        tar.extractall(archive.parent / "tree", filter="data")
    (inner,) = (archive.parent / "tree").iterdir()
    inner.rename(target)
    shutil.rmtree(archive.parent)


def linux(version: str = "6.1") -> Path:
    """The Linux source tree, from Debian's package, without the rule that hides it from git."""
    target = CACHE / f"linux-{version}"
    if not target.exists():
        work = _fresh(target)
        name = f"linux-source-{version}"
        subprocess.run(["apt-get", "download", name], cwd=work, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["dpkg-deb", "-x", next(work.glob("*.deb")).name, "package"], cwd=work, check=True)
        _unpack(next(work.glob("package/usr/src/*.tar.xz")).rename(work / "linux.tar.xz"), target)
    rules = target / ".gitignore"
    rules.write_text(rules.read_text("utf-8").partition("# Debian packaging")[0], encoding="utf-8")
    return target
