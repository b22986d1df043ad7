"""The projects that are measured, and what their checkers need to know of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import CACHE as CORPORA


@dataclass(frozen=True, slots=True)
class Project:
    """`folders` are read; `search` is where imports start. Libraries are installed for the checker alone."""

    name: str
    language: str
    root: Path
    folders: tuple[str, ...]
    search: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()  # folders that the checker gets a copy of, with the files of `settings`
    settings: tuple[str, ...] = ()  # for C++ what clang is told


def projects() -> dict[str, Project]:
    """All of them, by name."""
    retrieval = CORPORA / "retrieval"
    found = (
        Project(
            "requests",
            "python",
            retrieval / "requests",
            ("src", "tests"),
            ("src", "."),
            ("urllib3", "idna", "certifi", "chardet", "charset_normalizer", "pytest"),
        ),
        Project(
            "flask",
            "python",
            retrieval / "flask",
            ("src", "tests"),
            ("src", ".", "tests/test_apps"),
            ("werkzeug", "jinja2", "click", "itsdangerous", "blinker", "markupsafe", "pytest"),
        ),
        Project(
            "django", "python", CORPORA / "Django-5.2", ("django", "tests"), (".", "tests"), ("asgiref", "sqlparse")
        ),
        Project(
            "trpc",
            "typescript",
            retrieval / "trpc",
            ("packages/server/src", "packages/client/src"),
            libraries=(
                *("@types/node@22", "typescript@5.9", "vitest@3", "@types/express@5", "@types/ws@8"),
                *("@types/aws-lambda@8", "fastify@5", "ws@8", "zod@4"),
            ),
            packages=("packages/server", "packages/client"),
            settings=("package.json", "tsconfig.json", "tsconfig.build.json"),
        ),
        Project(
            "zod",
            "typescript",
            retrieval / "zod",
            ("packages/zod/src",),
            libraries=("@types/node@22", "typescript@5.9", "vitest@3"),
            packages=("packages/zod",),
            settings=("package.json", "tsconfig.json", ".configs"),
        ),
        Project("gson", "java", retrieval / "gson", ("gson/src/main/java",)),
        Project("commons-lang", "java", CORPORA / "graph" / "commons-lang", ("src/main/java",)),
        Project("chi", "go", CORPORA / "graph" / "chi", (".",)),
        Project("cobra", "go", retrieval / "cobra", (".",)),
        Project("gin", "go", retrieval / "gin", (".",)),
        Project("curl", "c", retrieval / "curl", ("lib", "src", "include"), ("lib", "include", "src")),
        Project("fmt", "cpp", retrieval / "fmtlib", ("src", "include"), ("include",), settings=("-std=c++17",)),
    )
    return {project.name: project for project in found}
