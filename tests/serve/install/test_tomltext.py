"""What is put into a TOML text comes out again without a trace, whatever the text looks like."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.serve.install.jsontext import Malformed
from clew.serve.install.tomltext import TomlText

AT = ("mcp_servers", "clew")
FIELDS = {"command": "C:\\clew\x7f\\é.exe", "args": ["mcp"]}
TOML = TomlText()

values = st.sampled_from(
    [
        "1",
        "nan",
        "1979-05-27T07:32:00Z",
        '"# = [x] \\" é"',
        "'C:\\path'",
        '"""\n[mcp_servers.clew]\nx = 1 \\""" # no\n"""',
        "'''\n[mcp_servers.clew] '' \n'''",
        '""""quoted""""',
        "[1, 2]",
        '[ # c\n  "a]", # [\n  [2],\n\n]',
        "{ a = 1, b = { c = '}' } }",
    ]
)
trivia = st.sampled_from(["", "", "# note\n", "\n", "  \n", "#\n", "\n\n", '# [mcp_servers.clew]\n"']).map(
    lambda text: text.rstrip('"')
)
keys = st.sampled_from(["k{}", '"k = {}"', "'k#{}'", "k{}.x.y", "k{} . z"])
headers = st.sampled_from(
    ["[t{}]", "[[t{}]]", "[ t{} . 'a.b' ]", "[mcp_servers.s{}]", '[mcp_servers."[s{}]"] # c', "[t{}.clew]"]
)
ends = st.sampled_from(["", " ", " # = [", "\t#"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Tables and values in every notation; each name is used once."""
    lines = []
    for number in range(draw(st.integers(0, 5))):
        lines.append(draw(trivia))
        if draw(st.booleans()):
            lines.append(f"{draw(headers).format(number)}\n")
        lines.append(f"{draw(keys).format(number)} = {draw(values)}{draw(ends)}\n")
    text = "".join(lines) + draw(trivia)
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@settings(max_examples=150, deadline=None)
@given(documents())
def test_put_and_take_leave_no_trace(text: str) -> None:
    data = tomllib.loads(text)
    longer = TOML.put(text, AT, FIELDS)
    assert longer.startswith(text)
    assert repr(tomllib.loads(longer)) == repr({**data, AT[0]: {**data.get(AT[0], {}), AT[1]: FIELDS}})
    assert TOML.put(longer, AT, FIELDS) == longer
    assert TOML.take(longer, AT, keep_empty=False) == text


OWN = """\
[a]
b = 1

# mine
[mcp_servers."clew"] # here
# why
args = [
  "old", # x
]
env.X = "1"

# tools
[mcp_servers.clew.tools]
x = 1

# next
[z]
"""


def test_fields_that_somebody_added_stay_where_they_are() -> None:
    args = '[\n  "old", # x\n]'
    expected = OWN.replace(args, '["mcp"]').replace("# here\n", '# here\ncommand = "clew"\n')
    assert TOML.put(OWN, AT, {"command": "clew", "args": ["mcp"]}) == expected


def test_a_table_goes_with_its_subtables_and_nothing_else() -> None:
    assert TOML.take(OWN, AT, keep_empty=False) == "[a]\nb = 1\n\n# mine\n\n# next\n[z]\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[mcp_servers]\nx = 1\nclew = { command = 'a' }\ny = 2\n", "[mcp_servers]\nx = 1\ny = 2\n"),
        ("mcp_servers.clew.command = 'a'\nz = 1\n", "z = 1\n"),
        ("[mcp_servers.clew]\ncommand = 'a'\n[b]\n[mcp_servers.clew.env]\nx = 1", "[b]"),
        ("a = 1\n[mcp_servers.clew]\n", "a = 1\n"),
        ("a = 1\n", "a = 1\n"),
    ],
)
def test_an_entry_in_any_notation_is_taken(before: str, after: str) -> None:
    assert TOML.take(before, AT, keep_empty=False) == after


@pytest.mark.parametrize(
    "text",
    [
        "a = ",
        "[a",
        "a = 1\na = 2\n",
        "mcp_servers = 1\n",
        "[mcp_servers]\nclew = 1\n",
        "[mcp_servers]\nclew = { command = 'a' }\n",
    ],
)
def test_what_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(Malformed):
        TOML.put(text, AT, FIELDS)
