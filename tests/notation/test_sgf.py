"""SGF syntax: round trips, and errors with their place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoddd.notation import Node, parse_sgf, write_sgf
from yoddd.notation.sgf import decode, decode_pair, encode, encode_pair

Shape = tuple[dict[str, list[str]], list["Shape"]]


def shape(node: Node) -> Shape:
    return dict(node.properties), [shape(child) for child in node.children]


def clean(text: str) -> list[Node]:
    trees, errors = parse_sgf(text)
    assert errors == []
    return trees


def problems(text: str) -> list[str]:
    return [str(error) for error in parse_sgf(text)[1]]


raw_values = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map(encode)
names = st.text("ABCXYZ", min_size=1, max_size=3)
property_lists = st.dictionaries(names, st.lists(raw_values, min_size=1, max_size=3), max_size=3)
nodes = st.recursive(
    st.builds(Node, property_lists),
    lambda inner: st.builds(Node, property_lists, st.lists(inner, max_size=3)),
    max_leaves=12,
)


@given(st.lists(nodes, min_size=1, max_size=3))
def test_sgf_written_and_parsed_is_the_same(trees: list[Node]) -> None:
    text = write_sgf(trees)
    again = clean(text)
    assert [shape(tree) for tree in again] == [shape(tree) for tree in trees]
    assert write_sgf(again) == text


@given(st.text("();[]\\:AbB c\n\r", max_size=60))
def test_parse_sgf_any_text_gives_trees_that_parse_cleanly(text: str) -> None:
    trees, errors = parse_sgf(text)
    assert all(error.line >= 1 and error.column >= 1 for error in errors)
    if trees:
        again = clean(write_sgf(trees))
        assert [shape(tree) for tree in again] == [shape(tree) for tree in trees]


@given(st.text())
def test_sgf_value_encoded_and_decoded_is_the_same(text: str) -> None:
    plain = decode(text.replace("\\", ""))
    assert decode(encode(plain)) == plain
    assert decode_pair(encode_pair(plain, plain)) == (plain, plain)


def test_sgf_unknown_properties_and_variations_are_kept() -> None:
    text = (
        "(;FF[4]\nGM[9633]\nXX[a\\:b:c\\]][]\n;B[1d4]C[first]\n(;W[pass])\n(;W[1a1]\n;B[pass]))\n"
    )
    (root,) = clean(text)
    assert root.properties["XX"] == ["a\\:b:c\\]", ""]
    assert root.text("GM") == "9633"
    assert root.text("ZZ") is None
    assert [node.text("B") for node in root.main_line()] == [None, "1d4", None]
    assert [len(node.children) for node in root.main_line()] == [1, 2, 0]
    assert write_sgf([root]) == text


def test_decode_follows_ff4() -> None:
    assert decode("a\\\nb\\\r\nc") == "abc"
    assert decode("a\r\nb\n\rc\rd\ne") == "a\nb\nc\nd\ne"
    assert decode("\\]\\\\\\:\\x\t|\\\t|") == "]\\:x | |"
    assert decode_pair("no colon") is None
    assert decode_pair("a\\:b:c:d") == ("a:b", "c:d")


def test_parse_sgf_old_format_drops_lower_case_letters() -> None:
    (root,) = clean("(;GaMe[1]Black[1d4])")
    assert root.properties == {"GM": ["1"], "B": ["1d4"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["line 1, column 1: no game tree"]),
        ("hello\nyou", ["line 1, column 1: text outside a game tree"]),
        ("x(;B[])y z(;W[])", ["line 1, column 1: text outside", "line 1, column 8: text outside"]),
        ("(;B[1d4]", ["line 1, column 9: 1 open game trees at the end"]),
        ("(;B[1d4];)x)", ["line 1, column 11: text outside a game tree"]),
        ("()", ["line 1, column 2: an empty game tree"]),
        ("((;B[]))", ["line 1, column 2: a variation before the first node"]),
        ("(B[1d4])", ["line 1, column 2: a property before the first node"]),
        ("(;B;W[])", ["line 1, column 3: B has no value"]),
        ("(;B W[])", ["line 1, column 3: B has no value"]),
        ("(;B(;W[]))", ["line 1, column 3: B has no value"]),
        ("(;b[x])", ["line 1, column 3: unexpected 'b'", "line 1, column 4: a value without"]),
        ("(;[x])", ["line 1, column 3: a value without a property"]),
        ("([x])", ["line 1, column 2: a value without a property", "line 1, column 5: an empty"]),
        ("(;B[a]W[b]\n B[c])", ["line 2, column 3: B stands twice in one node"]),
        ("(;B[a]?!.)", ["line 1, column 7: unexpected '?!.'"]),
        ("(;C[a\r\nb\n\n B[1]\n(;\r(;", ["line 6, column 3: 3 open game trees at the end"]),
        (
            "(;B[1]\n\nC[never ends)",
            ["line 3, column 2: a value is not closed", "line 3, column 14: 1 open game trees"],
        ),
    ],
)
def test_parse_sgf_problem_has_line_and_column(text: str, expected: list[str]) -> None:
    found = problems(text)
    assert len(found) == len(expected)
    for error, start in zip(found, expected, strict=True):
        assert error.startswith(start)


def test_parse_sgf_continues_after_problem() -> None:
    trees, errors = parse_sgf("(;B[1d4] ?? ;W[pass])\n(;)")
    assert len(trees) == 2
    assert len(errors) == 1
    assert [node.text("W") for node in trees[0].main_line()] == [None, "pass"]


def test_sgf_deep_tree_is_read_and_written() -> None:
    depth = 50_000
    trees, errors = parse_sgf("(;B[1]" * depth)
    assert len(errors) == 1
    assert len(list(trees[0].main_line())) == depth
    assert write_sgf(trees).count(";") == depth
