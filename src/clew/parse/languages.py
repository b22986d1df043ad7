"""The one table of languages: names, extensions, file names, shebangs, grammar and query.

A blob's language comes from its path; without an extension from its first line, and a `.h` may be C or C++.
`EXTRACTOR` and each language's `version` name the facts: raise one and only what it covers is parsed again.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

EXTRACTOR = 4  # raise when extraction itself changes, for every language

Role = Literal["code", "markup", "prose", "config", "data"]


class Language(NamedTuple):
    """How one language is recognised and read. `data` is kept for exact search only."""

    name: str
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    shebangs: tuple[str, ...] = ()
    grammar: str | None = None
    query: str = ""  # its files, joined
    role: Role = "code"
    version: int = 1
    aliases: tuple[str, ...] = ()
    may_hang: bool = False  # its parser does not end on some broken code: it is run only where it can be stopped

    @property
    def extractor(self) -> int:
        """The version under which facts of this language are filed."""
        return EXTRACTOR * 1_000 + self.version


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_TABLE = (
    Language(
        "python",
        _words("py pyi pyw pyx pxd py-tpl"),
        _words("SConstruct SConscript wscript"),
        _words("python python2 python3 pypy uv"),
        "tree_sitter_python:language",
        "python",
        version=4,
        aliases=("py",),
    ),
    Language(
        "javascript",
        _words("js mjs cjs jsx"),
        _words("Jakefile"),
        _words("node nodejs deno bun"),
        "tree_sitter_javascript:language",
        "ecmascript javascript",
        version=4,
        aliases=("js", "jsx"),
    ),
    Language(
        "typescript",
        _words("ts mts cts"),
        (),
        _words("ts-node tsx"),
        "tree_sitter_typescript:language_typescript",
        "ecmascript typescript",
        version=5,
        aliases=("ts",),
    ),
    Language("tsx", ("tsx",), (), (), "tree_sitter_typescript:language_tsx", "ecmascript typescript tsx", version=5),
    Language("go", ("go",), (), (), "tree_sitter_go:language", "go", version=2, aliases=("golang",)),
    Language(
        "rust", ("rs",), (), _words("rust-script"), "tree_sitter_rust:language", "rust", version=3, aliases=("rs",)
    ),
    Language("java", ("java",), (), (), "tree_sitter_java:language", "java", version=4),
    Language("c", _words("c h"), (), (), "tree_sitter_c:language", "c", version=4),
    Language(
        "cpp",
        _words("cc cpp cxx c++ hpp hh hxx h++ ipp tpp inl cu cuh"),
        (),
        (),
        "tree_sitter_cpp:language",
        "cpp",
        version=5,
        aliases=("c++",),
    ),
    Language(
        "csharp", _words("cs csx"), (), (), "tree_sitter_c_sharp:language", "csharp", version=4, aliases=("c#", "cs")
    ),
    Language(
        "ruby",
        _words("rb rake gemspec ru podspec"),
        _words("Rakefile Gemfile Guardfile Capfile Vagrantfile Podfile Fastfile Brewfile"),
        _words("ruby jruby"),
        "tree_sitter_ruby:language",
        "ruby",
        version=4,
        aliases=("rb",),
    ),
    Language("php", _words("php phtml php5 php7"), (), ("php",), "tree_sitter_php:language_php", "php", version=4),
    Language(
        "kotlin",
        _words("kt kts"),
        (),
        ("kotlin",),
        "tree_sitter_kotlin:language",
        "kotlin",
        version=2,
        aliases=("kt",),
        may_hang=True,
    ),
    Language("swift", ("swift",), (), ("swift",), "tree_sitter_swift:language", "swift", version=3),
    Language("scala", _words("scala sc sbt"), (), ("scala",), "tree_sitter_scala:language", "scala", version=3),
    Language("lua", _words("lua rockspec"), (), _words("lua luajit"), "tree_sitter_lua:language", "lua", version=3),
    Language(
        "bash",
        _words("sh bash zsh ksh bats ebuild"),
        _words(".bashrc .bash_profile .profile .zshrc PKGBUILD"),
        _words("sh bash zsh dash ksh ash bats"),
        "tree_sitter_bash:language",
        "bash",
        version=3,
        aliases=("shell", "sh"),
    ),
    Language("elixir", _words("ex exs"), (), ("elixir",), "tree_sitter_elixir:language", "elixir", version=2),
    Language("haskell", _words("hs hsc"), (), ("runhaskell",), "tree_sitter_haskell:language", "haskell", version=2),
    Language("zig", _words("zig zon"), (), (), "tree_sitter_zig:language", "zig", version=2),
    Language("html", _words("html htm xhtml vue svelte"), (), (), "tree_sitter_html:language", "html", role="markup"),
    Language("css", ("css",), (), (), "tree_sitter_css:language", "css", role="markup"),
    Language("sql", _words("sql ddl"), (), (), "tree_sitter_sql:language", "sql"),
    Language(
        "json",
        _words("json jsonc json5 webmanifest"),
        _words(".babelrc .eslintrc .prettierrc"),
        (),
        "tree_sitter_json:language",
        "json",
        role="config",
    ),
    Language(
        "yaml",
        _words("yml yaml"),
        _words(".clang-format .clang-tidy"),
        (),
        "tree_sitter_yaml:language",
        "yaml",
        role="config",
    ),
    Language("toml", ("toml",), ("Pipfile",), (), "tree_sitter_toml:language", "toml", role="config"),
    Language(
        "markdown",
        _words("md markdown mdx"),
        (),
        (),
        "tree_sitter_markdown:language",
        "markdown",
        role="prose",
        aliases=("md",),
    ),
    Language("text", _words("txt rst adoc org tex"), _words("README LICENSE CHANGELOG AUTHORS NEWS"), role="prose"),
    Language("make", ("mk",), _words("Makefile makefile GNUmakefile"), ("make",), role="config", aliases=("makefile",)),
    Language("docker", ("dockerfile",), _words("Dockerfile Containerfile"), role="config"),
    Language("ini", _words("ini cfg conf properties editorconfig"), (".editorconfig",), role="config"),
    Language("perl", _words("pl pm"), (), ("perl",)),
    Language("r", _words("r R"), (), ("Rscript",)),
    Language("dart", ("dart",)),
    Language("clojure", _words("clj cljs cljc edn")),
    Language("erlang", _words("erl hrl"), (), ("escript",)),
    Language("ocaml", _words("ml mli")),
    Language("proto", ("proto",)),
    Language("graphql", _words("graphql gql")),
    Language("scss", _words("scss sass less"), role="markup"),
    Language("xml", _words("xml xsd xsl plist"), role="markup"),
    Language("other", (), role="prose"),
    Language("gettext", _words("po pot"), role="data"),
    Language("svg", ("svg",), role="data"),
    Language("csv", _words("csv tsv"), role="data"),
    Language("sourcemap", ("map",), role="data"),
    Language(
        "lockfile",
        ("lock",),
        _words("package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock go.sum Cargo.lock poetry.lock uv.lock"),
        role="data",
    ),
)

LANGUAGES: dict[str, Language] = {language.name: language for language in _TABLE}
_HEAD_BYTES = 65_536
_CPP = re.compile(  # what no C has at the beginning of a line
    rb"^[ \t]*(?:namespace\s+[\w:]+\s*\{|template\s*<|class\s+\w[^;(]*[{:]|using\s+(?:namespace\s|\w+\s*=)"
    rb"|(?:public|private|protected)\s*:)|\bstd::\w"
    rb"|^#[ \t]*include[ \t]*<(?:string|vector|memory|utility|type_traits|functional|cstdint|cstddef)>",
    re.MULTILINE,
)
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*(?:\S*/)?)?([\w.+-]+)")


def language_of(path: str, content: bytes = b"") -> str:
    """The language of a file from its path, and from its content when the path does not tell."""
    by_name, by_extension, by_shebang = _lookups()
    name = path.rpartition("/")[2]
    found = by_name.get(name)
    if found is None:
        stem, _, extension = name.rpartition(".")
        if not stem:
            extension = ""  # `.profile` has a name, not an extension
        found = by_extension.get(extension) or by_extension.get(extension.lower())
    if found == "c" and name.endswith(".h") and _CPP.search(content, 0, _HEAD_BYTES):
        return "cpp"
    if found is None and content.startswith(b"#!"):
        match = _SHEBANG.match(content)
        if match:
            program = match[1].decode("ascii", "replace")
            found = by_shebang.get(program) or by_shebang.get(program.rstrip("0123456789."))
    return found or "other"


def resolve_language(name: str) -> str | None:
    """The canonical name of a language given by name or alias in any case, or None."""
    wanted = name.lower()
    for language in _TABLE:
        if wanted == language.name or wanted in language.aliases:
            return language.name
    return None


@cache
def _lookups() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    by_name: dict[str, str] = {}
    by_extension: dict[str, str] = {}
    by_shebang: dict[str, str] = {}
    for language in _TABLE:
        by_name.update(dict.fromkeys(language.filenames, language.name))
        by_extension.update(dict.fromkeys(language.extensions, language.name))
        by_shebang.update(dict.fromkeys(language.shebangs, language.name))
    return by_name, by_extension, by_shebang
