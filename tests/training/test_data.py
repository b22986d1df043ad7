"""What may enter the training data: no held-out project, no copyleft, and pairs that say what they mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from training.licences import of_debian, of_pypi, permissive
from training.names import held_out, usable_path
from training.pairs import definitions

PACKAGES = Path(__file__).parents[2] / "training" / "packages.json"


@pytest.mark.parametrize(
    "name",
    "flask Flask requests @trpc/server python-django golang-github-spf13-cobra golang-github-gin-gonic-gin curl "
    "libcurl haskell-aeson rust-serde-json lodash.js ruby-sinatra php-monolog libgoogle-gson-java zls".split(),
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


def test_a_pair_is_a_sentence_and_the_code_without_it() -> None:
    source = b'def load(path):\n    """Read the settings of a project. More."""\n    return parse(read(path), strict)\n'
    (found,) = definitions(source, "python", lambda _: False)
    assert found.query == "Read the settings of a project."
    (bare,) = definitions(
        source.replace(b'    """Read the settings of a project. More."""\n', b""), "python", lambda _: False
    )
    assert (found.terms, found.freqs) == (bare.terms, bare.freqs)
    assert list(definitions(source, "python", lambda _: True)) == []
