"""Finds and downloads packages from the registries that pip, npm and apt are configured for.

A package is looked up with its own registry's metadata (version, licence, address) and read as a stream of
(path, content) without being unpacked or run. Main calls: `Registry.resolve`, `Registry.files`.
"""

from __future__ import annotations

import io
import json
import lzma
import re
import subprocess
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from training import licences

TIMEOUT_S = 60
MAX_ARCHIVE_BYTES = 250_000_000
MAX_FILE_BYTES = 400_000
DEBIAN_SUITES = ("trixie", "bookworm")  # the newer first


class Package(NamedTuple):
    """One pinned package; no licence means none that is known to be permissive. `depends` helps discovery."""

    ecosystem: str
    name: str
    version: str
    licence: str
    url: str
    depends: tuple[str, ...] = ()


def resolve(ecosystem: str, name: str, version: str = "") -> Package | str:
    """The package in its registry, or why there is none."""
    return {"pypi": _pypi, "npm": _npm, "debian": _debian}[ecosystem](name, version)


def read(url: str, limit: int = MAX_ARCHIVE_BYTES) -> bytes:
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as response:
        data: bytes = response.read(limit + 1)
    if len(data) > limit:
        raise ValueError("too large")
    return data


def files(archive: bytes, url: str, wanted: Any) -> Iterator[tuple[str, bytes]]:
    """The files of an archive for which `wanted(path)` holds, up to a size."""
    if url.endswith((".whl", ".zip")):
        with zipfile.ZipFile(io.BytesIO(archive)) as zipped:
            for item in zipped.infolist():
                path = "package/" + item.filename
                if not item.is_dir() and item.file_size <= MAX_FILE_BYTES and wanted(path):
                    yield path, zipped.read(item)
        return
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r|*") as tar:
        for member in tar:
            path = member.name.removeprefix("./")
            if member.isfile() and member.size <= MAX_FILE_BYTES and wanted(path):
                stream = tar.extractfile(member)
                if stream is not None:
                    yield path, stream.read()


# -- PyPI ------------------------------------------------------------------------------------------


@cache
def _pypi_base() -> tuple[str, str]:
    """Where the metadata and the lists of files are."""
    from pip._internal.models.index import PyPI

    return PyPI.pypi_url, PyPI.simple_url


def _pypi(name: str, version: str) -> Package | str:
    metadata, listing = _pypi_base()
    data = json.loads(read(f"{metadata}/{urllib.parse.quote(name)}/{version + '/' if version else ''}json"))
    info = data["info"]
    licence = licences.of_pypi(info) or ""
    usable = [u for u in data["urls"] if not u.get("yanked") and u["size"] <= MAX_ARCHIVE_BYTES]
    pure = [u["url"] for u in usable if u["url"].endswith("-none-any.whl")]
    source = [u["url"] for u in usable if u["url"].endswith((".tar.gz", ".zip")) and u["packagetype"] == "sdist"]
    if not (pure or source):
        return "no archive"
    depends = [re.split(r"[\s<>=!~;\[(]", text, maxsplit=1)[0] for text in info.get("requires_dist") or ()]
    url = urllib.parse.urljoin(f"{listing}/{name}/", (pure or source)[0])  # a mirror may give relative addresses
    return Package("pypi", name, info["version"], licence, url, tuple(sorted({*depends})))


# -- npm -------------------------------------------------------------------------------------------


@cache
def _npm_base() -> str:
    done = subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True, check=True)
    return done.stdout.strip().rstrip("/")


def _npm(name: str, version: str) -> Package | str:
    manifest = json.loads(read(f"{_npm_base()}/{name.replace('/', '%2f')}/{version or 'latest'}"))
    licence = licences.of_npm(manifest) or ""
    depends = (*manifest.get("dependencies", ()), *manifest.get("peerDependencies", ()))
    return Package("npm", name, manifest["version"], licence, manifest["dist"]["tarball"], tuple(sorted({*depends})))


# -- Debian ----------------------------------------------------------------------------------------


@cache
def _debian_base() -> str:
    done = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)"], capture_output=True, text=True, check=True
    )
    return next(line for line in done.stdout.split() if line.rstrip("/").endswith("/debian")).rstrip("/")


class Source(NamedTuple):
    """One entry of the index of Debian sources."""

    name: str
    version: str
    directory: str
    files: tuple[tuple[str, int], ...]


@cache
def debian_sources() -> dict[str, list[Source]]:
    """All source packages of the suites, by name."""
    found: dict[str, list[Source]] = {}
    for suite in DEBIAN_SUITES:
        index = lzma.decompress(read(f"{_debian_base()}/dists/{suite}/main/source/Sources.xz"))
        for paragraph in index.decode("utf-8", "replace").split("\n\n"):
            fields = dict(re.findall(r"^([\w-]+):[ \t]*(.*(?:\n .*)*)", paragraph, re.MULTILINE))
            if "Package" in fields and "Extra-Source-Only" not in fields:
                rows = [row.split() for row in fields["Files"].strip().splitlines()]
                listed = tuple((row[2], int(row[1])) for row in rows if len(row) == 3)
                source = Source(fields["Package"], fields["Version"], fields["Directory"], listed)
                found.setdefault(source.name, []).append(source)
    return found


def _debian(name: str, version: str) -> Package | str:
    sources = [source for source in debian_sources().get(name, ()) if version in ("", source.version)]
    for source in sources:
        try:
            return _debian_package(source)
        except urllib.error.HTTPError:  # a mirror need not have every file
            continue
    return "missing" if sources else "unknown"


def _debian_package(source: Source) -> Package | str:
    packed = [f for f, size in source.files if re.search(r"\.debian\.tar\.\w+$", f) and size < 5_000_000]
    original = [f for f, size in source.files if re.search(r"\.orig\.tar\.\w+$", f) and size <= MAX_ARCHIVE_BYTES]
    if not (packed and original):
        return "no archive"
    base = f"{_debian_base()}/{source.directory}/"
    with urllib.request.urlopen(urllib.request.Request(base + original[0], method="HEAD"), timeout=TIMEOUT_S):
        archive = read(base + packed[0])
    notices = [text for _, text in files(archive, packed[0], lambda path: path == "debian/copyright")]
    licence = licences.of_debian(notices[0].decode("utf-8", "replace")) if notices else None
    return Package("debian", source.name, source.version, licence or "", base + original[0])
