"""What is put into a JSON text comes out again without a trace, whatever the text looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.serve.install.jsontext import MAX_DEPTH, JsonText, Malformed

AT = ("mcpServers", "clew")
FIELDS = {"command": "/opt/clew é/clew", "args": ["mcp"]}
STRICT, LENIENT = JsonText(), JsonText(lenient=True)
Written = tuple[str, Any]  # a text and what it means

spaces = st.text(" \t\n\r", max_size=3)
comments = st.sampled_from(["// one\n", "/* two */", '// {"mcpServers": 1}\r\n', "/* a\n b // c */", "//\n", "/**/"])
names = st.text(max_size=5).filter(lambda name: name not in AT)


@st.composite
def documents(draw: st.DrawFn, lenient: bool) -> Written:
    """An object with every liberty that a dialect has; often with the container, never with the entry."""
    trivia = st.lists(spaces | comments, max_size=3).map("".join) if lenient else spaces

    def scalar() -> Written:
        value = draw(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(max_size=8)
        )
        ascii_only = draw(st.booleans())
        return json.dumps(value, ensure_ascii=ascii_only), value

    def container(members: list[tuple[str, Written]], brackets: str, named: bool) -> str:
        parts = []
        for name, (text, _) in members:
            head = f"{draw(trivia)}{json.dumps(name, ensure_ascii=False)}{draw(trivia)}:" if named else ""
            parts.append(f"{head}{draw(trivia)}{text}{draw(trivia)}")
        end = "," if lenient and parts and draw(st.booleans()) else ""
        return f"{brackets[0]}{','.join(parts)}{end}{draw(trivia)}{brackets[1]}"

    def value(depth: int) -> Written:
        kind = draw(st.sampled_from(["scalar", "object", "array"])) if depth else "scalar"
        if kind == "scalar":
            return scalar()
        if kind == "array":
            items = [value(depth - 1) for _ in range(draw(st.integers(0, 3)))]
            return container([("", item) for item in items], "[]", named=False), [item[1] for item in items]
        return mapping([(name, value(depth - 1)) for name in draw(st.lists(names, unique=True, max_size=3))])

    def mapping(members: list[tuple[str, Written]]) -> Written:
        return container(members, "{}", named=True), {name: item[1] for name, item in members}

    members = [(name, value(2)) for name in draw(st.lists(names, unique=True, max_size=3))]
    if draw(st.booleans()):
        servers = mapping([(name, value(1)) for name in draw(st.lists(names, unique=True, max_size=2))])
        members.insert(draw(st.integers(0, len(members))), (AT[0], servers))
    text, data = mapping(members)
    return draw(trivia) + text + draw(trivia), data


@st.composite
def printed(draw: st.DrawFn) -> Written:
    """An object as programs write it: one member a line, indented by anything, with either line end."""
    leaves = st.none() | st.booleans() | st.text(max_size=8)
    values = st.recursive(
        leaves, lambda inner: st.lists(inner) | st.dictionaries(names, inner, max_size=3), max_leaves=8
    )
    data: dict[str, Any] = draw(st.dictionaries(names, values, max_size=4))
    if draw(st.booleans()):
        data[AT[0]] = draw(st.dictionaries(names, values, max_size=3))
    indent: str | int = draw(st.sampled_from([1, 2, 4]) | st.just("\t"))
    text = json.dumps(data, indent=indent, ensure_ascii=draw(st.booleans()))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))) + draw(st.sampled_from(["", "\n"])), data


def check_round_trip(dialect: JsonText, written: Written) -> str:
    text, data = written
    assert dialect.data(text) == data
    longer = dialect.put(text, AT, FIELDS)
    assert dialect.data(longer) == {**data, AT[0]: {**data.get(AT[0], {}), AT[1]: FIELDS}}
    assert dialect.put(longer, AT, FIELDS) == longer
    assert dialect.take(longer, AT, keep_empty=AT[0] in data) == text
    return longer


@settings(max_examples=100, deadline=None)
@given(documents(lenient=True))
def test_put_and_take_leave_no_trace_among_comments_and_trailing_commas(written: Written) -> None:
    check_round_trip(LENIENT, written)


@settings(max_examples=100, deadline=None)
@given(documents(lenient=False) | printed())
def test_put_and_take_leave_no_trace_in_plain_json(written: Written) -> None:
    longer = check_round_trip(STRICT, written)
    assert json.loads(longer)[AT[0]][AT[1]] == FIELDS


@settings(max_examples=50, deadline=None)
@given(printed())
def test_no_line_of_a_printed_file_changes_but_an_empty_object(written: Written) -> None:
    text, data = written
    if not data or data.get(AT[0]) == {}:
        return
    old, new = text.splitlines(), STRICT.put(text, AT, FIELDS).splitlines()
    start = next(i for i, line in enumerate(new) if i >= len(old) or line != old[i])
    assert new[:start] + new[start + len(new) - len(old) :] == old


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "s": {\n    "clew": {\n      "a": 1\n    }\n  }\n}\n'),
        ("// mine\n", '// mine\n{\n  "s": {\n    "clew": {\n      "a": 1\n    }\n  }\n}\n'),
        ('{"s":{}}', '{"s":{\n  "clew": {\n    "a": 1\n  }\n}}'),
        ('{"s":{"x":2}}', '{"s":{"clew": {"a": 1},"x":2}}'),
        (
            '{ // top\n\t"s": {\n\t\t"x": 2, // x\n\t},\n}',
            '{ // top\n\t"s": {\n\t\t"clew": {\n\t\t\t"a": 1\n\t\t},\n\t\t"x": 2, // x\n\t},\n}',
        ),
        ('{\n  "z": 0\n}\n', '{\n  "s": {\n    "clew": {\n      "a": 1\n    }\n  },\n  "z": 0\n}\n'),
    ],
)
def test_an_entry_is_laid_out_as_the_rest(before: str, after: str) -> None:
    assert LENIENT.put(before, ("s", "clew"), {"a": 1}) == after


def test_fields_that_somebody_added_stay_where_they_are() -> None:
    text = '{"mcpServers": {\n  // keep\n  "clew": {"env": {"A": "b"}, "args": ["old"], /* c */ "timeout": 9}\n}}'
    assert LENIENT.put(text, AT, FIELDS) == text.replace('["old"]', '["mcp"]').replace(
        '{"env"', '{"command": "/opt/clew é/clew","env"'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"s": {"x": 1, "clew": {}}}', '{"s": {"x": 1}}'),
        ('{"s": {"x": 1, "clew": {},}}', '{"s": {"x": 1,}}'),
        ('{"s": {"x": 1, "clew": {}, "y": 2}}', '{"s": {"x": 1, "y": 2}}'),
        ('{"s": {"clew": {}, "y": 2}}', '{"s": { "y": 2}}'),
        ('{"s": {\n  "x": 1, // x\n  // clew\n  "clew": {} // c\n}}', '{"s": {\n  "x": 1 // x\n  // clew // c\n}}'),
        ('{"s": { // c\n"clew": {}}}', '{"s": { // c\n}}'),
        ('{"s": {\n  // none\n  "clew": {}\n}}', '{"s": {\n  // none\n}}'),
        ('{"s": {"clew": {}}, "t": 1}', '{ "t": 1}'),
        ('{"t": 1}', '{"t": 1}'),
    ],
)
def test_an_entry_that_somebody_moved_is_found_and_taken(before: str, after: str) -> None:
    taken = LENIENT.take(before, ("s", "clew"), keep_empty=False)
    assert LENIENT.data(taken) == LENIENT.data(after)
    assert taken == after


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{]",
        '{"a" 1}',
        '{"a": }',
        '{"a": 1 "b": 2}',
        "{} {}",
        "{a: 1}",
        "{'a': 1}",
        '{"a": NaN}',
        '{"a": 01}',
        '{"a": "\n"}',
        '{"a": "\\x"}',
        '{"a": "',
        "/* {}",
        "{,}",
        '{"a": 1,,}',
        '{"mcpServers": []}',
        '{"mcpServers": {"clew": null}}',
        '{"mcpServers": {}, "mcpServers": {"clew": {}}}',
        '{"mcpServers": {"clew": {}, "\\u0063lew": {}}}',
        '{"a":' * (MAX_DEPTH + 2) + "1" + "}" * (MAX_DEPTH + 2),
    ],
)
def test_what_is_no_sound_text_is_refused(text: str) -> None:
    for dialect in (STRICT, LENIENT):
        with pytest.raises(Malformed):
            dialect.put(text, AT, FIELDS)


@pytest.mark.parametrize("text", ["// c\n{}", '{"a": 1,}', "[1,]", "{/**/}"])
def test_a_strict_dialect_takes_no_liberties(text: str) -> None:
    with pytest.raises(Malformed):
        STRICT.data(text)


def test_a_number_of_any_length_is_no_trouble() -> None:
    text = '{"n": ' + "9" * 5000 + "}"
    assert STRICT.take(STRICT.put(text, AT, FIELDS), AT, keep_empty=False) == text
