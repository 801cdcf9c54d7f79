"""JSON text and trees: the identity, node numbers kept, and what malformed text raises."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse.tree import Tree
from strategies import trees

FORM = {"format": "hypcse-tree", "version": 1, "parent": [2, 2, -1], "height": [0, 0.0, 0.5], "names": None}


def altered(**changes):
    return json.dumps(FORM | changes)


@given(trees() | trees(binary=True) | trees(names=True))
def test_tree_to_json_to_tree_is_the_identity(tree):
    back = Tree.from_json(tree.to_json())
    assert back.parent.tolist() == tree.parent.tolist()
    assert back.height.tobytes() == tree.height.tobytes()
    assert back.names == tree.names


@given(trees(names=True))
def test_the_text_is_plain_json(tree):
    form = json.loads(tree.to_json())
    assert form == {
        "format": "hypcse-tree",
        "version": 1,
        "parent": tree.parent.tolist(),
        "height": tree.height.tolist(),
        "names": list(tree.names),
        "unit": None,
        "joined_from": None,
    }


def test_names_may_be_given_or_null():
    assert Tree.from_json(altered()).names is None
    assert Tree.from_json(altered(names=["a", "\ud800"])).names == ("a", "\ud800")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON.* line 1 column 1"),
        ('{"format":\n oops}', "not JSON.* line 2 column 2"),
        ("[" * 10**6, "not JSON.* recursion"),
        (altered(parent=json.loads("[" * 60 + "]" * 60)), "parent has shape"),
        ("[]", "a tree is an object"),
        (altered(format="newick"), "a tree is an object of 'format' 'hypcse-tree'"),
        (altered(version=2), "'version' is 2, but this hypcse reads 1. Update"),
        ('{"format": "hypcse-tree", "version": 1, "parent": [-1], "names": null}', "has no 'height'"),
        (altered(parent=None), "'parent' is None, but must be a list"),
        (altered(parent=["2", 2, -1]), "parent must hold integers"),
        (altered(parent=[2, 10**30, -1]), "parent must hold integers"),
        (altered(parent=[2, 2, -2]), "the last node must be the root"),
        (altered(parent=[2, 2]), "last node must be the root"),
        (altered(height=[0, 0, None]), "'height' holds None at 2"),
        (altered(height=[0, 0, float("nan")]), "height.*finite"),
        (altered().replace("0.5", "1e999"), "height.*finite"),
        (altered(height=[0, 0, 10**400]), "too large"),
        (altered().replace("0.5", "1" * 5000), "can be read: Exceeds the limit"),
        (altered(names="ab"), "'names' is 'ab', but must be a list"),
        (altered(names=["a", None]), "name 1 is None"),
    ],
)
def test_errors_name_what_is_wrong(text, message):
    with pytest.raises(ValueError, match=message):
        Tree.from_json(text)


@pytest.mark.parametrize("changes", [{"parent": [], "height": []}, {"parent": [-1, 0, -1]}, {"names": ["a"]}])
def test_arrays_that_make_no_tree_are_refused(changes):
    with pytest.raises(ValueError, match=r"tree|node|names"):
        Tree.from_json(altered(**changes))


@given(trees(names=True), st.data())
def test_mutated_text_is_read_or_refused(tree, data):
    text = list(tree.to_json())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text) - 1))
        sign = data.draw(st.sampled_from(["", *'{}[]",: 0159.e-\\u']))
        text[place : place + data.draw(st.integers(0, 1))] = sign
    try:
        Tree.from_json("".join(text))
    except ValueError:
        return
