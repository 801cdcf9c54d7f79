"""Newick text and trees: identities both ways, the standard's cases, and what malformed text raises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from hypcse.kernels.trees.branches import branch_lengths
from hypcse.tree import Tree
from hypcse.tree.newick import read_newick
from strategies import trees


def same_bits(first, second):
    """Whether two trees with canonical numbers agree, heights to the last bit."""
    same_tree = np.array_equal(first.parent, second.parent) and first.names == second.names
    return same_tree and first.height.tobytes() == second.height.tobytes()


def in_reading_order(tree):
    """The tree with its leaves numbered, names and all, from left to right."""
    order = tree.leaf_order()
    new_id = np.arange(tree.n_nodes)
    new_id[order] = np.arange(tree.n_leaves)
    parent = np.full(tree.n_nodes, -1)
    parent[new_id] = tree.parent
    return Tree(parent, tree.height, tuple(tree.names[leaf] for leaf in order))


def are_ids(names):
    return sorted(names) == sorted(map(str, range(len(names))))


@st.composite
def height_pairs(draw):
    """Two heights, low and high, of any size or with mantissas chosen so that sums fall on ties."""
    anything = st.floats(0, 1e307)
    mantissa = st.integers(2**52, 2**53 - 1)
    tied = st.builds(lambda m, k: float(m) * 2.0**-k, mantissa, st.integers(51, 56))
    return sorted(draw(st.tuples(anything, anything) | st.tuples(tied, tied)))


@given(trees() | trees(binary=True))
def test_tree_to_newick_to_tree_is_the_identity(tree):
    assert same_bits(Tree.from_newick(tree.to_newick()), tree.canonical())


@given(trees(names=True))
def test_named_leaves_come_back_in_the_order_of_the_text(tree):
    assume(not are_ids(tree.names))
    assert same_bits(Tree.from_newick(tree.to_newick()), in_reading_order(tree).canonical())


@given(trees(names=True))
def test_any_order_of_leaves_comes_back_by_name(tree):
    assume(len(set(tree.names)) == tree.n_leaves)
    assert Tree.from_newick(tree.to_newick(), names=tree.names) == tree


@given(trees(names=True))
def test_a_second_trip_changes_no_letter(tree):
    assume(not are_ids(tree.names))
    text = Tree.from_newick(tree.to_newick()).to_newick()
    assert Tree.from_newick(text).to_newick() == text


@given(height_pairs())
@example((2.0**-53, 1 + 2.0**-52))
@example((0.0, np.finfo(np.float64).max))
@example((5e-324, 1.0))
def test_every_height_is_reached_to_the_last_bit(heights):
    """Also where ordinary addition, ties to even, reaches the upper height with no float at all."""
    low, high = heights
    tree = Tree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, low, low, high])
    assert Tree.from_newick(tree.to_newick()).height.tobytes() == tree.height.tobytes()


@given(height_pairs())
def test_ordinary_addition_reaches_the_height_wherever_it_can(heights):
    low, high = heights
    length = float(branch_lengths(np.array([1, -1]), np.array([low, high]))[0])
    near = [length, np.nextafter(length, 0), np.nextafter(length, np.inf)]
    assert low + length == high or all(low + float(other) != high for other in near)
    assert abs(low + length - high) <= np.spacing(high)


@given(st.text(max_size=10))
@example("")
@example("it's")
@example("a_b")
@example("two\n\tlines")
@example("[no comment]")
@example("1e5")
def test_any_name_survives(name):
    assume(name != "0")
    assert Tree.from_newick(Tree([-1], [0.0], (name,)).to_newick()).names == (name,)


def test_names_are_quoted_only_where_needed():
    tree = Tree([6, 6, 6, 6, 6, 6, -1], [0, 0, 0, 0, 0, 0, 1], ("é-1.5+", "a_b", "it's", "", "c d", "x;"))
    assert tree.to_newick() == "(é-1.5+:1.0,'a_b':1.0,'it''s':1.0,'':1.0,'c d':1.0,'x;':1.0);"


def test_children_are_written_in_the_order_of_their_ids():
    tree = Tree([3, 3, 4, 4, -1], [0, 0, 0, 1, 2], ("a", "b", "c d"))
    assert tree.to_newick() == "('c d':2.0,(a:1.0,b:1.0):1.0);"


@pytest.mark.parametrize(
    ("text", "parent", "height", "names"),
    [
        ("(B,(A,C,E),D);", [6, 5, 5, 5, 6, 6, -1], [0, 0, 0, 0, 0, 1, 2], ("B", "A", "C", "E", "D")),
        ("(,(,,),);", [6, 5, 5, 5, 6, 6, -1], [0, 0, 0, 0, 0, 1, 2], None),
        ("(,\n(,,)\t, ) ;", [6, 5, 5, 5, 6, 6, -1], [0, 0, 0, 0, 0, 1, 2], None),
        ("((B:0.5,A:0.25)E:0.5,D:3)F;", [3, 3, 4, 4, -1], [0, 0, 0, 0.5, 3], ("B", "A", "D")),
        ("((:1,:1):1,:2):9;", [3, 3, 4, 4, -1], [0, 0, 0, 1, 2], None),
        ("((2:1,0:1):1,1:2);", [3, 4, 3, 4, -1], [0, 0, 0, 1, 2], None),
        ("('1',01);", [2, 2, -1], [0, 0, 1], ("1", "01")),
        ("(1,2);", [2, 2, -1], [0, 0, 1], ("1", "2")),
        ("(0,0);", [2, 2, -1], [0, 0, 1], ("0", "0")),
        ("(a,);", [2, 2, -1], [0, 0, 1], ("a", "")),
        ("('',);", [2, 2, -1], [0, 0, 1], ("", "")),
        ("(a_b,'a_b','it''s');", [3, 3, 3, -1], [0, 0, 0, 1], ("a b", "a_b", "it's")),
        ("[&R](a[one 'three],'[b]' [ \n ]:2[],c);", [3, 3, 3, -1], [0, 0, 0, 2], ("a", "[b]", "c")),
        ("(a:1,b:+.5e1,c:3.E-1,d:-0);", [4, 4, 4, 4, -1], [0, 0, 0, 0, 5], ("a", "b", "c", "d")),
        ("(((a:1,b:2):3):4,c);", [3, 3, 4, 4, -1], [0, 0, 0, 2, 9], ("a", "b", "c")),
        ("(((a,b)));", [2, 2, -1], [0, 0, 1], ("a", "b")),
        ("((((a)),b));", [2, 2, -1], [0, 0, 3], ("a", "b")),
        ("((a:1):1,b);", [2, 2, -1], [0, 0, 2], ("a", "b")),
        ("(a,b):7;", [2, 2, -1], [0, 0, 1], ("a", "b")),
        ("a;", [-1], [0], ("a",)),
        ("0:3;", [-1], [0], None),
        ("((a:1):1):1;", [-1], [0], ("a",)),
    ],
)
def test_texts_of_the_standard(text, parent, height, names):
    found_parent, found_height, found_names = read_newick(text)
    assert found_parent.tolist() == parent
    assert found_height.tolist() == height
    assert found_names == names


@pytest.mark.parametrize(
    ("text", "line", "column", "found"),
    [
        ("", 1, 1, "the end of the text"),
        (" \n ", 2, 2, "the end of the text"),
        (";", 1, 1, "';'"),
        ("();", 1, 2, "')'"),
        ("(a,());", 1, 5, "')'"),
        ("(a,b)", 1, 6, "the end of the text"),
        ("(a,b)c", 1, 7, "the end of the text"),
        ("(a,", 1, 4, "the end of the text"),
        ("((a,b);", 1, 7, "';'"),
        ("(a,b));", 1, 6, "')'"),
        ("a,b;", 1, 2, "','"),
        ("(a,\n  b c);", 2, 5, "'c'"),
        ("('a' 'b',c);", 1, 6, '"\'"'),
        ("(a[one]b,c);", 1, 8, "'b'"),
        ("(a,b)(c,d);", 1, 6, "'('"),
        ("(a(b,c));", 1, 3, "'('"),
        ("(a,'b);", 1, 4, '"\'"'),
        ("(a,[b);", 1, 8, "the end of the text"),
        ("(a,b]);", 1, 5, "']'"),
        ("(a,b);\n\n(c,d);", 3, 1, "'('"),
        ("(a:,b);", 1, 3, "':'"),
        ("(a:1_0,b);", 1, 3, "':'"),
        ("(a:1:2,b);", 1, 5, "':'"),
        ("(a:-1.5,b);", 1, 4, "'-1.5'"),
        ("(a:1e999,b);", 1, 4, "'1e999'"),
    ],
)
def test_malformed_text_is_told_where(text, line, column, found):
    with pytest.raises(ValueError, match=rf"^line {line}, column {column} ") as caught:
        read_newick(text)
    assert str(caught.value).split(", expected ")[0].endswith(f"found {found}")


def test_lengths_beyond_the_floats_are_refused():
    with pytest.raises(ValueError, match="add up to more than"):
        read_newick("((a:1e308,b:1):1e308,c:1);")


def survives_reading(text):
    """Reading gives a valid tree or a ValueError; anything else fails the test."""
    try:
        Tree.from_newick(text)
    except ValueError:
        return


@given(trees(names=True), st.data())
def test_mutated_text_is_read_or_refused(tree, data):
    text = list("[a[b]c]" + tree.to_newick())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text) - 1))
        sign = data.draw(st.sampled_from(["", *"()[]',:;_ \n07.e-+ab"]))
        text[place : place + data.draw(st.integers(0, 1))] = sign
    survives_reading("".join(text))


@given(st.text(alphabet="()[]',:; \n01.e-a", max_size=30))
def test_any_text_is_read_or_refused(text):
    survives_reading(text)


@pytest.mark.parametrize(
    ("text", "column"),
    [("(" * 10**6, 10**6 + 1), ("[" * 10**6, 10**6 + 1), ("[]" * 10**6, 2 * 10**6 + 1)],
)
def test_depth_is_no_limit_to_errors(text, column):
    with pytest.raises(ValueError, match=rf"^line 1, column {column} "):
        read_newick(text)


def test_depth_is_no_limit():
    deep = "(" * 10**6 + "a" + ")" * 10**6 + ";"
    assert read_newick(deep)[2] == ("a",)
    parent, height, names = read_newick("(" * 10**6 + "a,b" + ")" * 10**6 + ";")
    assert (parent.tolist(), height.tolist(), names) == ([2, 2, -1], [0, 0, 1], ("a", "b"))
    assert read_newick("[]" * 10**6 + "(a,b);")[2] == ("a", "b")


def test_blanks_and_comments_cost_linear_time():
    blanks = " \n" * 10**6
    assert read_newick(f"{blanks}(a{blanks},b[{blanks}]){blanks};{blanks}")[2] == ("a", "b")


def test_a_chain_of_a_million_leaves_goes_both_ways():
    n_leaves = 10**6
    inner = np.arange(n_leaves, 2 * n_leaves - 1)
    parent = np.concatenate([[n_leaves], inner, inner[1:], [-1]])
    steps = np.random.default_rng(0).exponential(size=n_leaves - 1)
    tree = Tree(parent, np.concatenate([np.zeros(n_leaves), np.cumsum(steps)]))
    assert same_bits(Tree.from_newick(tree.to_newick()), tree)
