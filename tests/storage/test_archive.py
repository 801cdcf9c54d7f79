"""Two files under digests: what goes in comes out, and nothing else is accepted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from hypcse.storage.archive import ARRAYS, FACTS, SCHEMA, ModelFileError, pack, read_archive
from hypcse.storage.files import write_folder

KINDS = st.sampled_from([np.float64, np.float32, np.int64, np.int32, np.uint8])
# Names of files may hold lone surrogates, even two in a row that would make one character.
TEXT = st.text(st.characters()) | st.just("\ud83d\ude00") | st.just("\ud800")
VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
KEYS = st.text(st.characters(exclude_characters="/", codec="utf-8"), min_size=1)
ARRAY = KINDS.flatmap(lambda kind: arrays(kind, array_shapes(min_dims=0, min_side=0)))
CONTENT = st.recursive(
    st.dictionaries(KEYS, ARRAY | VALUES | st.lists(VALUES), max_size=4),
    lambda inner: st.dictionaries(KEYS, inner | ARRAY | VALUES, max_size=4),
    max_leaves=6,
)


def same(one, other):
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    return type(one) is type(other) and one == other


@given(CONTENT)
def test_what_goes_in_comes_out(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("archive") / "a"
    write_folder(folder, pack("kind", content))
    assert same(read_archive(folder, "kind").content, content)


def test_the_order_of_axes_in_memory_does_not_matter(tmp_path):
    array = np.arange(6).reshape(2, 3)
    write_folder(tmp_path / "a", pack("kind", {"f": np.asfortranarray(array), "t": array.T, "s": array[:, ::2]}))
    result = read_archive(tmp_path / "a", "kind").content
    assert np.array_equal(result["f"], array) and np.array_equal(result["t"], array.T)
    assert np.array_equal(result["s"], array[:, ::2])


def changed(folder, **values):
    """Write other values into facts.json as a person with an editor would."""
    form = json.loads((folder / FACTS).read_text())
    (folder / FACTS).write_text(json.dumps({**form, **values}))


@pytest.mark.parametrize(
    ("harm", "text"),
    [
        (lambda folder: changed(folder, schema=SCHEMA + 1), f"'schema' is {SCHEMA + 1}.*Update hypcse"),
        (lambda folder: changed(folder, schema="1"), "does not match its digest"),
        (lambda folder: changed(folder, format="other"), "'format' is 'other' instead of 'kind'"),
        (lambda folder: changed(folder, content={"a": 2}), "does not match its digest"),
        (lambda folder: changed(folder, more=1), "does not match its digest"),
        (lambda folder: (folder / FACTS).unlink(), f"{FACTS}: the file is missing"),
        (lambda folder: (folder / ARRAYS).unlink(), f"{ARRAYS}: the file is missing"),
        (lambda folder: (folder / ARRAYS).write_bytes(b"1234"), f"{ARRAYS}: the content does not match"),
        (lambda folder: (folder / FACTS).write_bytes(b"\xff"), "not valid JSON.*position 0"),
        (lambda folder: (folder / FACTS).write_text("{"), "not valid JSON.*line 1 column 2"),
        (lambda folder: (folder / FACTS).write_text("[" * 100_000), "not valid JSON"),
        (lambda folder: (folder / FACTS).write_text("1" * 10_000), "not valid JSON"),
        (lambda folder: (folder / FACTS).write_text("[]"), "this is something else"),
    ],
)
def test_errors_name_the_file_what_is_wrong_and_the_way_out(tmp_path, harm, text):
    folder = tmp_path / "a"
    write_folder(folder, pack("kind", {"a": 1, "b": np.arange(3)}))
    harm(folder)
    with pytest.raises(ModelFileError, match=text) as caught:
        read_archive(folder, "kind")
    assert str(folder) in str(caught.value)
    assert str(caught.value).endswith((" or write it again.", "Update hypcse."))


def test_no_folder(tmp_path):
    with pytest.raises(ModelFileError, match="there is no folder"):
        read_archive(tmp_path / "a", "kind")


def test_values_that_json_does_not_have_are_refused():
    with pytest.raises(ValueError, match="JSON compliant"):
        pack("kind", {"a": float("nan")})
