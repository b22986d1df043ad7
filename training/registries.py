"""Finds and downloads packages from the registries that pip, npm and apt are configured for, or from repositories.

A package is looked up with its own registry's metadata (version, licence, address) and read as a stream of
(path, content) without being unpacked or run. Main calls: `resolve`, `read`, `files`.
"""

from __future__ import annotations

import io
import json
import lzma
import os
import re
import subprocess
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from clew.parse.languages import LANGUAGES, language_of
from training import licences

TIMEOUT_S = 60
MAX_ARCHIVE_BYTES = 250_000_000
MAX_FILE_BYTES = 400_000
MAX_REPOSITORY_BYTES = 60_000_000  # of code
DEBIAN_SUITES = ("trixie", "sid", "bookworm")  # stable first; a mirror often has only the newest of a source
DEBIAN_BINARY_SUITES = ("trixie", "sid")


_REPOSITORY = "repository:"


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
    known = {
        "pypi": _pypi,
        "npm": _npm,
        "debian": _debian,
        "debian-binary": _debian_binary,
        "github": _repository,
    }
    return known[ecosystem](name, version)


def read(url: str, limit: int = MAX_ARCHIVE_BYTES) -> bytes:
    """What lies at an address; of a repository, its code as an archive."""
    if url.startswith(_REPOSITORY):
        folder, _, commit = url.removeprefix(_REPOSITORY).rpartition("@")
        return _archive(folder, commit)
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
    packed = _data_of_deb(archive) if url.endswith(".deb") else archive
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r|*") as tar:
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


# -- Debian's built packages: of languages that are not compiled, and of headers, they hold the sources ------------


class Binary(NamedTuple):
    """One entry of the index of Debian's built packages."""

    name: str
    version: str
    source: str
    path: str


@cache
def debian_binaries() -> dict[str, list[Binary]]:
    """All built packages of the suites, by name."""
    found: dict[str, list[Binary]] = {}
    for suite in DEBIAN_BINARY_SUITES:
        index = lzma.decompress(read(f"{_debian_base()}/dists/{suite}/main/binary-amd64/Packages.xz"))
        for paragraph in index.decode("utf-8", "replace").split("\n\n"):
            fields: dict[str, str] = dict(
                re.findall(r"^(Package|Source|Version|Filename): (.*)$", paragraph, re.MULTILINE)
            )
            if "Filename" in fields:
                source = (fields.get("Source") or fields["Package"]).split()[0]
                binary = Binary(fields["Package"], fields["Version"], source, fields["Filename"])
                found.setdefault(binary.name, []).append(binary)
    return found


def _debian_binary(name: str, version: str) -> Package | str:
    """The licence is not known before the package is read: `licence_of_deb`."""
    for binary in debian_binaries().get(name, ()):
        if version in ("", binary.version):
            return Package("debian-binary", name, binary.version, "", f"{_debian_base()}/{binary.path}")
    return "unknown"


def licence_of_deb(archive: bytes, name: str) -> str | None:
    wanted = f"usr/share/doc/{name}/copyright"
    notices = [text for _, text in files(archive, ".deb", lambda path: path == wanted)]
    return licences.of_debian(notices[0].decode("utf-8", "replace")) if notices else None


def _data_of_deb(archive: bytes) -> bytes:
    """The member `data.tar.*` of an `ar` archive."""
    start = 8
    while start + 60 <= len(archive):
        name, size = archive[start : start + 16], int(archive[start + 48 : start + 58])
        if name.startswith(b"data.tar"):
            return archive[start + 60 : start + 60 + size]
        start += 60 + size + size % 2
    raise ValueError("no data in the archive")


# -- Repositories that were fetched before: OWNER+NAME/repo in the folder that the environment names ----------------


def _repository(name: str, version: str) -> Package | str:
    folder = Path(os.environ.get("CLEW_TRAINING_REPOSITORIES", "")) / name.replace("/", "+") / "repo"
    if not folder.is_dir():
        return "missing"
    commit = version or _git(folder, "rev-parse", "HEAD").decode().strip()
    rows = [row.split("\t") for row in _git(folder, "ls-tree", commit).decode("utf-8", "replace").splitlines()]
    notices = [head.split()[2] for head, path in rows if re.match(r"(?i)licen[cs]e|copying", path) and " blob " in head]
    found = {licences.of_text(_git(folder, "cat-file", "blob", blob).decode("utf-8", "replace")) for blob in notices}
    licence = "" if None in found else " OR ".join(sorted(text for text in found if text))
    return Package("github", name, commit, licence, f"{_REPOSITORY}{folder}@{commit}")


def _archive(folder: str, commit: str) -> bytes:
    """An archive of the code in a commit; blobs that are not there are left out."""
    listing = _git(Path(folder), "ls-tree", "-r", "-z", commit).decode("utf-8", "replace")
    rows = [row.split("\t", 1) for row in listing.split("\0") if row]
    chosen = [(head.split()[2], path) for head, path in rows if LANGUAGES[language_of(path)].role == "code"]
    given = _git(Path(folder), "cat-file", "--batch", text="".join(f"{blob}\n" for blob, _ in chosen).encode())
    held, start = io.BytesIO(), 0
    with tarfile.open(fileobj=held, mode="w") as tar:
        for _, path in chosen:
            end = given.index(b"\n", start)
            head = given[start:end].split()
            start = end + 1
            if head[-1] == b"missing":
                continue
            size = int(head[2])
            if size <= MAX_FILE_BYTES and held.tell() < MAX_REPOSITORY_BYTES:
                member = tarfile.TarInfo("package/" + path)
                member.size = size
                tar.addfile(member, io.BytesIO(given[start : start + size]))
            start += size + 1
    return held.getvalue()


def _git(folder: Path, *arguments: str, text: bytes = b"") -> bytes:
    return subprocess.run(["git", "-C", str(folder), *arguments], input=text, capture_output=True, check=True).stdout
