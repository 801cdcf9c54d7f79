"""Files whose parts are sound one by one but do not make sense: each is refused by name, in one line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hypcse
from hypcse.points.formats.errors import naming, reading


@pytest.mark.parametrize("context", [reading, naming])
def test_whatever_a_library_raises_names_the_file(tmp_path, context):
    path = tmp_path / "x"

    class OddError(Exception):
        pass

    for error in (
        OddError("odd"),
        RuntimeError(),
        KeyError("obs"),
        AttributeError("a\nb"),
        OSError("bad"),
        SystemError(),
    ):
        with (
            pytest.raises(ValueError, match=r"x is damaged or not a thing: .*\. Write it again") as told,
            context(path, "a thing"),
        ):
            raise error
        assert "\n" not in str(told.value) and told.value.__cause__ is error
    for error in (KeyboardInterrupt(), SystemExit(3), ImportError("pip install x"), FileNotFoundError(2, "no", "y")):
        with pytest.raises(type(error)) as told, context(path, "a thing"):
            raise error
        assert told.value is error
    with pytest.raises(MemoryError, match="x: .*memory") as told, context(path, "a thing"):
        raise MemoryError
    assert "damaged" not in str(told.value)


def test_our_own_words_are_not_called_damage(tmp_path):
    for error in (ValueError, TypeError):
        with pytest.raises(error, match=r"x: two points are called 'a'$"), naming(tmp_path / "x", "a thing"):
            raise error("two points are called 'a'")


def test_dates_beyond_nanoseconds_are_numbers():
    when = pd.Series(np.array(["0100-01-01", "1970-01-02", "5138-11-16"], "M8[s]"))
    frame = pd.DataFrame({"when": when, "x": [3.0, 1.0, 2.0]})
    days = when.to_numpy().astype("M8[D]").astype(float)
    assert hypcse.read(frame, dates="number").features[:, 0].tolist() == days.tolist()


@pytest.mark.parametrize("kind", ["frame", "object", "numpy", "zone", "period", "csv", "parquet", "xlsx"])
def test_a_missing_date_is_a_missing_number(tmp_path, kind):
    """In every form that dates have, and never the number that NaT is stored as."""
    when = pd.Series(pd.to_datetime(["2024-01-03", None, "2024-01-01"]))
    forms = {
        "object": when.astype(object),
        "numpy": pd.Series(list(when.to_numpy()), dtype=object),
        "zone": when.dt.tz_localize("UTC"),
        "period": when.dt.to_period("D"),
    }
    frame, source = pd.DataFrame({"when": forms.get(kind, when), "x": [1.5, 2, 3]}), tmp_path / f"t.{kind}"
    if kind == "csv":
        frame.to_csv(source, index=False, na_rep="NaT")
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(source)
    elif kind == "xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(source, index=False)
    else:
        source = frame
    with pytest.raises(ValueError, match=r"missing numbers: column 'when' 1 \(first in data row 2\)"):
        hypcse.read(source, dates="number", strict=True)
    assert hypcse.read(source, dates="number", impute="median").features[:, 0].tolist() == [19725, 19724, 19723]


@pytest.mark.parametrize("dtype", ["M8[ns]", "M8[s]", "m8[us]"])
def test_a_missing_date_of_an_array_is_refused(tmp_path, dtype):
    X = np.array([[1], [2], [3]]).astype(dtype)
    assert hypcse.Points.of(X).features.tolist() == [[1], [2], [3]]
    X[1] = "NaT"
    np.save(tmp_path / "a.npy", X)
    for source in (lambda: hypcse.Points.of(X), lambda: hypcse.read(tmp_path / "a.npy")):
        with pytest.raises(ValueError, match=r"are NaT \(1 in all\)"):
            source()


def test_a_library_that_names_the_file_in_several_lines_is_told_in_one(tmp_path):
    path = tmp_path / "x.xlsx"
    with (
        pytest.raises(ValueError, match="is damaged or not an Excel workbook") as told,
        reading(path, "an Excel workbook"),
    ):
        raise ValueError(f"Unable to read {path}.\nPlease see the exception.")
    assert "\n" not in str(told.value)
