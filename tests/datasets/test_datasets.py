"""The catalog, the order of the sources, and what each gives or refuses."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from toy_dataset import CONTENT, TOY, X, Y, assert_toy, entry_of, files_in, mat

from hypcse import datasets
from hypcse.datasets import DatasetUnavailable
from hypcse.datasets.sources import Labeled, load_entry, read_mat, store

NAMES = [
    *("zoo", "iris", "wine", "breast-cancer", "optical-digits", "spambase", "pen-digits"),
    *("glass", "segmentation"),
]
GUESSES = [("zo", "zoo"), ("Breast_Cancer", "breast-cancer"), ("digits", "optical-digits|pen-digits")]


def test_names_and_entries_agree() -> None:
    assert datasets.available() == NAMES
    assert [datasets.describe(name).name for name in NAMES] == NAMES
    assert all(re.fullmatch("[0-9a-f]{64}", datasets.describe(name).sha256) for name in NAMES)


@pytest.mark.parametrize(("name", "guess"), GUESSES)
def test_unknown_name_lists_the_names_and_the_nearest(name: str, guess: str) -> None:
    with pytest.raises(ValueError, match=rf"'{name}'.*zoo, iris.*segmentation\. Did you mean '({guess})'"):
        datasets.load(name)


def test_name_unlike_any_has_no_guess() -> None:
    with pytest.raises(ValueError, match=r"segmentation\.$"):
        datasets.describe("qqqq")


@pytest.mark.parametrize("name", NAMES)
def test_papers_data_match_the_catalog(name: str, paper_data: Callable[[str], Labeled]) -> None:
    features, labels = paper_data(name)
    entry = datasets.describe(name)
    assert (features.shape, features.dtype) == ((entry.n_points, entry.n_features), np.float64)
    assert (labels.shape, labels.dtype) == ((entry.n_points,), np.int64)
    np.testing.assert_array_equal(np.unique(labels), np.arange(entry.n_classes))


def test_folder_comes_before_the_cache(folder: Path) -> None:
    store(TOY, CONTENT)
    np.savez(folder / "toy.npz", X=X + 1, y=Y)
    assert_toy(load_entry(TOY), X + 1)


def test_folder_without_the_file_goes_on_to_the_cache(folder: Path) -> None:
    store(TOY, CONTENT)
    assert_toy(load_entry(TOY))


def test_cache_and_folder_come_before_sklearn(folder: Path) -> None:
    iris = replace(TOY, name="iris")
    store(iris, CONTENT)
    assert_toy(load_entry(iris))
    np.savez(folder / "iris.npz", X=X + 1, y=Y)
    assert_toy(load_entry(iris), X + 1)


def test_missing_folder_is_an_error(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HYPCSE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DatasetUnavailable, match=r"HYPCSE_DATA='.*nowhere' is not a folder.*iris\.npz"):
        datasets.load("iris")


def npz(**arrays: ArrayLike) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=True, **{name: np.asarray(values) for name, values in arrays.items()})
    return buffer.getvalue()


def npy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, X)
    return buffer.getvalue()


GOOD = npz(X=X, y=Y)
BAD_ARCHIVES = {
    "no y": (npz(X=X), r"y is not a file in the archive"),
    "no X": (npz(features=X, y=Y), r"X is not a file in the archive"),
    "empty archive": (npz(), r"X is not a file in the archive"),
    "object features": (npz(X=X.astype(object), y=Y), "plain arrays"),
    "object labels": (npz(X=X, y=Y.astype(object)), "plain arrays"),
    "rows missing": (npz(X=X[:5], y=Y), r"\(5, 2\).*has \(\(6, 2\)"),
    "flat features": (npz(X=X.ravel(), y=Y), r"\(12,\).*has \(\(6, 2\)"),
    "labels missing": (npz(X=X, y=Y[:5]), r"\(5,\).*\(6,\)"),
    "label column": (npz(X=X, y=Y[:, None]), r"\(6, 1\).*\(6,\)"),
    "class missing": (npz(X=X, y=Y // 2), r", 2\), but .*, 3\)"),
    "not finite": (npz(X=np.where(X == 0, np.nan, X), y=Y), "not finite"),
    "not a zip": (b"not a zip", "is damaged or not a NumPy archive"),
    "nothing": (b"", "is damaged or not a NumPy archive"),
    "lone array": (npy(), "is damaged or not a NumPy archive"),
    "cut archive": (GOOD[: len(GOOD) // 2], "is damaged or not a NumPy archive"),
    "flipped bytes": (GOOD.replace(X[1].tobytes(), X[2].tobytes()), "Bad CRC"),
}


@pytest.mark.parametrize("kind", BAD_ARCHIVES)
def test_bad_archive_is_named(folder: Path, kind: str) -> None:
    content, cause = BAD_ARCHIVES[kind]
    path = folder / "toy.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=cause) as caught:
        load_entry(TOY)
    assert str(path) in str(caught.value)


def test_sklearn_iris_needs_no_warning(cache: Path) -> None:
    features, labels = datasets.load("iris")
    assert "differs in 3 entries of rows 34 and 37" in datasets.describe("iris").note
    assert features.shape == (150, 4)
    np.testing.assert_array_equal(np.bincount(labels), [50, 50, 50])
    assert files_in(cache) == []


def test_sklearn_digits_need_no_warning(cache: Path) -> None:
    features, labels = datasets.load("optical-digits")
    assert (features.shape, features.dtype, labels.dtype) == ((1797, 64), np.float64, np.int64)


def test_sklearn_copies_are_the_papers_but_for_three_entries(
    paper_data: Callable[[str], Labeled], request: pytest.FixtureRequest
) -> None:
    papers = {name: paper_data(name) for name in ("iris", "optical-digits")}
    request.getfixturevalue("cache")
    features, labels = datasets.load("iris")
    assert np.argwhere(features != papers["iris"][0]).tolist() == [[34, 3], [37, 1], [37, 2]]
    np.testing.assert_array_equal(labels, papers["iris"][1])
    for ours, theirs in zip(datasets.load("optical-digits"), papers["optical-digits"], strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(st.lists(st.integers(-5, 300), min_size=2, max_size=20))
def test_codes_start_at_0_and_keep_the_order_of_the_classes(labels: list[int]) -> None:
    """y_i < y_j exactly when gnd_i < gnd_j, and the codes are 0 .. number of classes - 1."""
    content = mat(np.ones((len(labels), 1)), labels)
    entry = entry_of(content, len(labels), 1, len(set(labels)))
    _, codes = read_mat(entry, content)
    np.testing.assert_array_equal(np.unique(codes), np.arange(len(set(labels))))
    before, after = np.subtract.outer(labels, labels), np.subtract.outer(codes, codes)
    np.testing.assert_array_equal(np.sign(after), np.sign(before))


def test_sparse_and_integer_features_become_dense_floats() -> None:
    whole = np.arange(12, dtype=np.uint8).reshape(6, 2)
    for features, dense in ((scipy.sparse.csc_matrix(X), X), (whole, whole)):
        content = mat(features, Y)
        loaded, _ = read_mat(entry_of(content), content)
        assert isinstance(loaded, np.ndarray)
        assert loaded.dtype == np.float64
        np.testing.assert_array_equal(loaded, dense)


def test_matlab_file_of_another_shape_is_named() -> None:
    with pytest.raises(ValueError, match=r"Toy\.mat .*\(6, 2\).*'toy' has \(\(7, 2\)"):
        read_mat(replace(TOY, n_points=7), CONTENT)
