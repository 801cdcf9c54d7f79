"""Labels with gaps, as numbers."""

from itertools import compress

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse.estimators.labels import label_codes

KINDS = {
    "integers": (st.integers(0, 5) | st.integers(-9, -2), -1, np.int64),
    "floats": (st.floats(allow_nan=False), np.nan, np.float64),
    "text": (st.text(max_size=3), None, object),
    "text with NaN": (st.text(max_size=3), np.nan, object),
    "text with -1": (st.text(max_size=3), -1, object),
    "pairs": (st.tuples(st.integers(0, 2), st.text(max_size=2)), None, object),
}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_codes_are_places_in_the_sorted_classes(kind, data):
    label, missing, dtype = KINDS[kind]
    drawn = data.draw(st.lists(label | st.just(missing), max_size=12))
    y = np.fromiter(drawn, dtype=dtype, count=len(drawn))
    classes, codes = label_codes(y)
    known = [value is not missing for value in drawn] if dtype is not np.int64 else [value != -1 for value in drawn]
    assert [code >= 0 for code in codes] == known
    assert [classes[code] for code in codes if code >= 0] == list(compress(drawn, known))
    assert classes.tolist() == sorted(set(classes.tolist()))
    assert classes.dtype == dtype and codes.dtype == np.int64


@pytest.mark.parametrize(
    ("y", "classes", "codes", "dtype_kind"),
    [
        ([True, False, True], [False, True], [1, 0, 1], "b"),
        ([3, None, 1], [1, 3], [1, -1, 0], "i"),
        ([3, np.nan, 1.5], [1.5, 3], [1, -1, 0], "f"),
        ([True, None], [True], [0, -1], "b"),
        (["b", np.nan, "a"], ["a", "b"], [1, -1, 0], "O"),
        (["b", "a"], ["a", "b"], [1, 0], "U"),
        ([-1.0, 1.0], [-1.0, 1.0], [0, 1], "f"),
        (np.array([255, 0], np.uint8), [0, 255], [1, 0], "u"),
        ([-1, -1], [], [-1, -1], "i"),
        ([None, None], [], [-1, -1], "O"),
        (pd.Series([3, pd.NA, 2], dtype="Int64"), [2, 3], [1, -1, 0], "f"),
        (pd.Series(["u", None, "v"], dtype="string"), ["u", "v"], [0, -1, 1], "O"),
        (pd.Categorical(["u", None, "v"]), ["u", "v"], [0, -1, 1], "O"),
        (pd.Categorical([4, 2, 4]), [2, 4], [1, 0, 1], "i"),
    ],
)
def test_forms_of_labels(y, classes, codes, dtype_kind):
    found = label_codes(y)
    assert found[0].tolist() == classes and found[1].tolist() == codes
    assert found[0].dtype.kind == dtype_kind


def test_what_cannot_be_labels():
    with pytest.raises(ValueError, match="shape \\(2, 1\\)"):
        label_codes(np.array([[1], [2]]))
    with pytest.raises(TypeError, match="all text or all numbers"):
        label_codes(["a", 1, None])
