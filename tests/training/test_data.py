"""What may enter the training data: no held-out project, no copyleft, and pairs that say what they mean."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest
from training.licences import of_debian, of_pypi, of_text, permissive
from training.names import held_out, usable_path
from training.pairs import definitions

from clew import tokens
from training import registries

PACKAGES = Path(__file__).parents[2] / "training" / "packages.json"


@pytest.mark.parametrize(
    "name",
    "flask Flask requests @trpc/server python-django golang-github-spf13-cobra golang-github-gin-gonic-gin curl "
    "libcurl haskell-aeson rust-serde-json lodash.js ruby-sinatra php-monolog libgoogle-gson-java zls "
    "libuv1-dev libfmt-dev golang-k8s-api ruby-activerecord".split(),
)
def test_held_out_in_any_spelling(name: str) -> None:
    assert held_out(name)


@pytest.mark.parametrize("name", "toolz react-native-video golang-github-pkg-errors ruby-mustache expo-camera".split())
def test_others_may_enter(name: str) -> None:
    assert not held_out(name)


def test_paths_of_tests_vendored_and_held_out_code() -> None:
    assert usable_path("pkg/src/parser.py")
    for path in ("pkg/tests/a.py", "pkg/vendor/a.go", "pkg/x/requests/a.py", "pkg/lodash.min.js", "pkg/bottle.py"):
        assert not usable_path(path), path


def test_the_list_holds_out_what_it_must_and_is_permissive() -> None:
    rows = json.loads(PACKAGES.read_text("utf-8"))
    trained = [row for row in rows if row["use"] == "train"]
    assert [row["name"] for row in trained if held_out(row["name"]) or not row["licence"]] == []
    assert [row["name"] for row in trained if not permissive(row["licence"])] == []
    assert all(held_out(row["name"]) for row in rows if row["use"] == "evaluate")
    assert sum(row["use"] == "evaluate" for row in rows) >= 12


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("MIT OR GPL-3.0", True),
        ("MIT AND GPL-3.0", False),
        ("LGPL-2.1", False),
        ("", False),
        ("?", False),
    ],
)
def test_permissive(expression: str, expected: bool) -> None:
    assert permissive(expression) is expected


def test_licences_of_registries() -> None:
    assert of_pypi({"classifiers": ["License :: OSI Approved :: MIT License"]}) == "MIT"
    assert of_pypi({"license": "GPLv3"}) is None
    assert of_debian("Files: *\nCopyright: x\nLicense: Expat\n\nFiles: debian/*\nLicense: GPL-2+\n") == "Expat"
    assert of_debian("Files: *\nLicense: GPL-2+\n") is None
    assert of_text("Apache License\n  Version 2.0, January 2004") == "Apache-2.0"
    assert of_text("Permission is hereby granted, free of charge,\nto any person obtaining a copy") == "MIT"
    assert of_text("GNU GENERAL PUBLIC LICENSE. Permission is hereby granted, free of charge") is None


def test_a_built_debian_package_is_read_with_its_licence() -> None:
    notice, code = b"Files: *\nLicense: Expat\n", b"def load():\n"
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:xz") as tar:
        for path, content in (("./usr/share/doc/x/copyright", notice), ("./usr/lib/x.py", code)):
            member = tarfile.TarInfo(path)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    archive = b"!<arch>\n" + _member(b"debian-binary", b"2.0\n") + _member(b"data.tar.xz", held.getvalue())
    assert list(registries.files(archive, "x.deb", lambda path: path.endswith(".py"))) == [("usr/lib/x.py", code)]
    assert registries.licence_of_deb(archive, "x") == "Expat"
    assert registries.licence_of_deb(archive, "y") is None


def _member(name: bytes, content: bytes) -> bytes:
    return name.ljust(48) + str(len(content)).encode().ljust(10) + b"`\n" + content + b"\n" * (len(content) % 2)


def test_a_pair_is_a_sentence_and_the_code_without_it() -> None:
    source = b'def load(path):\n    """Read the settings of a project. More."""\n    return parse(read(path), strict)\n'
    (found,) = definitions(source, "python", lambda _: False)
    assert found.query == "Read the settings of a project."
    (bare,) = definitions(
        source.replace(b'    """Read the settings of a project. More."""\n', b""), "python", lambda _: False
    )
    assert (found.terms, found.freqs) == (bare.terms, bare.freqs)
    assert list(definitions(source, "python", lambda _: True)) == []


def test_a_name_is_asked_for_when_there_is_no_doc_and_a_file_by_what_it_says() -> None:
    source = (
        b'"""Reads and writes the settings of a project."""\n\n'
        b"def load_user_settings(path):\n    text = read(path, encoding, errors, limit, follow_links)\n"
        b"    return parse(text, strict, allow_unknown, load_user_settings)\n\n"
        b"def save(path):\n    pass\n\ndef drop(path):\n    pass\n"
    )
    found = {item.kind: item for item in definitions(source, "python", lambda _: False) if item.query}
    assert {kind: item.query for kind, item in found.items()} == {
        "name": "load user settings",
        "file": "Reads and writes the settings of a project.",
    }
    assert tokens.term_hash("load_user_settings") not in _hashes(found["name"].terms)
    assert tokens.term_hash("load_user_settings") in _hashes(found["file"].terms)


def _hashes(packed: bytes) -> set[bytes]:
    return {packed[i : i + 4] for i in range(0, len(packed), 4)}
