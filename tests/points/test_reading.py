"""Files as people have them: the right table, or one message that leads to it."""

from __future__ import annotations

import csv
import gzip
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hypcse

TWO = [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("a,b\n1,2\n3,4\n", TWO),
        ("1,2\n3,4\n", TWO),
        ("a;b\n1;2\n3;4\n", TWO),
        ("a|b\n1|2\n3|4\n", TWO),
        ("a\tb\n1\t2\n3\t4\n", TWO),
        ("\ufeffa,b\r\n1,2\r\n\r\n3,4", TWO),
        ("a,b\r1,2\r3,4\r", TWO),
        ("\n\na,b\n1,2\n   \n\n3,4\n\n", TWO),
        (" a , b \n 1 , 2 \n3 ,  4\n", TWO),
        ('"a","b"\n"1","2"\n"3","4"\n', TWO),
        ("x1_2,1_2\n3,4\n", [[3, 4]]),
        ("a;b, in cm\n1;2\n3;4\n", TWO),
        ("a;b\n1,5;2,25\n3,5;4,0\n", [[1.5, 2.25], [3.5, 4]]),
        ("1,5;2,25\n3,5;4,0\n", [[1.5, 2.25], [3.5, 4]]),
        ("a;b\n1.234,5;2\n1.000.000;4\n", [[1234.5, 2], [1e6, 4]]),
        ("a;b\n1,5;1.234\n2,5;999\n", [[1.5, 1234], [2.5, 999]]),
        ("a;b\n1,234;2\n0,500;4\n", [[1.234, 2], [0.5, 4]]),
        ('a,b\n"1,234.5",2\n"1,000,000",4\n', [[1234.5, 2], [1e6, 4]]),
        ('a,b\n"1,234",2\n"2,000",4\n', [[1234, 2], [2000, 4]]),
        ("a,b\n1 234,2\n1\u202f000\u202f000,4\n", [[1234, 2], [1e6, 4]]),
        ("a,b\n12 %,2\n5%,4\n", [[0.12, 2], [0.05, 4]]),
        ("a,b\n\u22121.5,2\n1e3,4\n", [[-1.5, 2], [1000, 4]]),
        ("a,b\ntrue,2\nFalse,4\n", [[1, 2], [0, 4]]),
        ("a,b\nyes,2\nNo,4\n", [[1, 2], [0, 4]]),
        ("a,b,\n1,2,\n3,4,\n", TWO),
        (",a,b\n0,1,2\n1,3,4\n", TWO),
        (",a,b\n1,1,2\n2,3,4\n", TWO),
        ("Unnamed: 0,a,b\n0,1,2\n1,3,4\n", TWO),
        ("a,b\n1,2\n3,4\n,\n", TWO),
        ("a,b\n1,123456789012345678901234\n3,4\n", [[1, 123456789012345678901234.0], [3, 4]]),
    ],
)
def test_tables(read, text, features):
    """Each table, as text in UTF-8, is the same table of numbers."""
    points = read(text)
    assert points.features.tolist() == features
    assert points.notes[0].startswith(f"{len(features)} row")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(read, encoding):
    points = read("größe;gewicht €\n1,5;2\n3;4\n", encoding=encoding)
    assert points.features.tolist() == [[1.5, 2], [3, 4]]
    assert points.feature_names == ("größe", "gewicht €")
    told = encoding.removesuffix("-sig")
    assert any(told in note for note in points.notes) == (told != "utf-8")


def test_text_in_no_encoding(read):
    with pytest.raises(
        ValueError, match=r"table\.csv is damaged or not a table of text: .*not text in UTF-8.* Save it as UTF-8"
    ):
        read(b"a,b\n1,\x81\n")


def test_other_suffixes(read):
    assert read("a\tb, c\n1\t2\n3\t4\n", "table.tsv").features.tolist() == TWO
    assert read("1.0  2.0\n3.0 4.0\n", "table.txt").features.tolist() == TWO
    assert read(gzip.compress(b"a,b\n1,2\n3,4\n"), "table.csv.gz").features.tolist() == TWO


def test_the_decimal_mark_is_told_and_can_be_given(read):
    text = "a;b\n1,234;2\n2,500;4\n"
    points = read(text)
    assert points.features[0, 0] == 1.234
    assert 'decimal comma; decimal="." if that is wrong' in points.notes[1]
    points = read(text, decimal=".")
    assert points.features[0, 0] == 1234
    assert len(points.notes) == 1
    assert 'decimal=","' in read('a,b\n"1,234",2\n').notes[1]
    assert read('a,b\n"1,234",2\n', decimal=",").features[0, 0] == 1.234
    with pytest.raises(ValueError, match="decimal=';' is not known"):
        read(text, decimal=";")


def test_most_columns_decide_on_the_mark(read):
    """A column of codes with commas does not turn a table of decimal points."""
    with pytest.raises(ValueError, match="column 'codes', data row 1 holds '1,5', which is not a number"):
        read('a,b,codes\n1.5,2.5,"1,5"\n3.5,4.5,"2,6"\n')


@pytest.mark.parametrize("word", ["", "-", "NA", "n/a", "N/A", "null", "?", "NaN", "NaT", " ", "None"])
def test_missing_numbers(read, word):
    text = f"a,b\n1,2\n{word},4\n{word},9\n5,6\n"
    with pytest.raises(ValueError, match=r"missing numbers: column 'a' 2 \(first in data row 2\).* impute=\"median\""):
        read(text)
    points = read(text, impute="median")
    assert points.features.tolist() == [[1, 2], [3, 4], [3, 9], [5, 6]]
    assert 'missing numbers filled with the median: a (2); or drop=["a"]' in points.notes


def test_all_columns_with_missing_numbers_are_named(read):
    with pytest.raises(ValueError, match=r"column 'a' 1 \(first in data row 1\), column 'b' 2 \(first in data row 2\)"):
        read("a,b\n,1\n2,\n3,-\n")
    with pytest.raises(ValueError, match="impute='mean' is not known"):
        read("a\n1\n", impute="mean")


@given(
    values=st.lists(st.integers(-3000, 3000), min_size=1, max_size=6, unique=True),
    n_rows=st.integers(10, 40),
    seed=st.integers(0, 1000),
)
def test_columns_of_two_or_three_numbers_count_like_texts(values, n_rows, seed):
    """As 0 and 1 do, whatever the numbers are."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.normal(size=n_rows), "k": rng.permutation(np.resize(values, n_rows))})
    assert hypcse.read(frame, strict=True).kinds == (None, "k" if len(values) <= 3 else None)


def test_truth_values_with_gaps(read):
    points = read("a,b\nyes,1\n,2\nyes,3\nno,4\n", impute="median")
    assert points.features[:, 0].tolist() == [1, 1, 1, 0]
    assert "true or yes is 1, false or no is 0; these count like text columns: a" in points.notes


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (("1970-01-02", "2024-02-29"), [1, 19782]),
        (("1970-01-02 12:00", "2024-02-29 00:00"), [1.5, 19782]),
        (("1970-01-02T06:00:00Z", "2024-02-29T00:00:00+00:00"), [1.25, 19782]),
        (("02.01.1970", "29.02.2024"), [1, 19782]),
        (("1/2/1970", "2/29/2024"), [1, 19782]),
        (("2/1/1970", "29/2/2024"), [1, 19782]),
        (("2 Jan 1970", "29 Feb 2024"), [1, 19782]),
    ],
)
def test_dates(read, cells, days):
    text = f"when,b\n{cells[0]},1\n{cells[1]},2\n"
    with pytest.raises(
        ValueError, match=f"column 'when', data row 1 holds '{cells[0][:4]}.*which is a date. Pass dates=\"number\""
    ):
        read(text)
    points = read(text, dates="number")
    assert points.features[:, 0].tolist() == days
    assert 'dates are days since 1970-01-01: when; or drop=["when"]' in points.notes


def test_dates_that_can_be_read_in_two_ways(read):
    with pytest.raises(ValueError, match="'3/4/2024', which may have the day or the month first"):
        read("when,b\n3/4/2024,1\n5/6/2024,2\n", dates="number")


def test_dates_with_gaps(read):
    with pytest.raises(ValueError, match="missing numbers: column 'when' 1"):
        read("when,b\n2024-01-01,1\n,2\n", dates="number")


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1, max_size=5, unique=True
    )
)
def test_any_text_in_quotes_survives(tmp_path_factory, names):
    """Line ends of all kinds, delimiters and quotation marks within a cell are part of it."""
    path = tmp_path_factory.getbasetemp() / "quoted.csv"
    rows = ['"' + name.replace('"', '""') + f'",{k}' for k, name in enumerate(names)]
    path.write_bytes("\r\n".join(["id,a", *rows]).encode())
    points = hypcse.read(path, id_column="id", strict=True)
    assert points.names == tuple(names)
    assert points.features.ravel().tolist() == list(range(len(names)))


@given(st.lists(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2), min_size=1))
def test_numbers_survive(tmp_path_factory, rows):
    """Every number is the one that was written, to the last bit; in order, so that no row counts as an id."""
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    path.write_text("a,b\n" + "".join(f"{a!r},{b!r}\n" for a, b in rows))
    assert hypcse.read(path, keep=["a", "b"]).features.tolist() == rows


@given(st.sampled_from([131_073, 200_000, 1 << 20]), st.sampled_from([0, 1, 2]), st.sampled_from(",;\t"))
@settings(max_examples=9, deadline=None)
def test_long_cells_survive(tmp_path_factory, length, row, delimiter):
    """Cells beyond the limit of Python's own reader, in the header or below it."""
    path = tmp_path_factory.getbasetemp() / "long.csv"
    texts = ["id", "a", "b"]
    texts[row] = "x" * length
    path.write_text("".join(f"{text}{delimiter}{k}\n" for k, text in enumerate(texts)).replace("0", "size", 1))
    limit = csv.field_size_limit()
    points = hypcse.read(path, id_column=texts[0])
    assert (points.names, points.features.tolist()) == (tuple(texts[1:]), [[1], [2]])
    with path.open("a") as file:
        file.write("c\n")
    with pytest.raises(ValueError, match="row 4 has 1 cells, row 1 has 2"):
        hypcse.read(path, id_column=texts[0])
    assert csv.field_size_limit() == limit


def test_ten_thousand_columns(read):
    points = read("\n".join(",".join(map(str, range(k, k + 10_000))) for k in range(3)))
    assert points.features.shape == (3, 10_000)


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        ("", {}, "is empty"),
        ("\n \n", {}, "is empty"),
        ("a,b\n", {}, "has a header but no rows"),
        ("a,b\n,\n", {}, "has only empty rows"),
        ("1,2\n", {"header": True}, "has a header but no rows"),
        ("a,b\n1,2\n3\n", {}, "row 3 has 1 cells, row 1 has 2"),
        ("a,b\n\n1,2\n\n3\n4,5\n", {}, "row 3 has 1 cells, row 1 has 2"),
        ("a,b\n1,2\n3,4,5\n", {}, "row 3 has 3 cells, row 1 has 2"),
        ("a,b\n1,2,3\n4,5,6\n", {}, "row 2 has 3 cells, row 1 has 2"),
        ("a,b,a\n1,2,3\n", {}, "two columns called 'a'; rename one"),
        (",a,b\n7,1,2\n9,1,2\n", {}, r"column 1 has no name .* id_column=1 or drop=\[1\]"),
        ("a,1\n2,3\n", {}, "column 1, data row 1 holds 'a', which is not a number.* Pass header=True"),
        ("a,b\n1,inf\n2,3\n", {}, "column 'b', data row 1 holds 'inf', which is not finite"),
        ('a,b\n1,"2\n3,4\n', {}, "Is a quotation mark not closed"),
        ('a\n"' + "1" * 200_000, {}, "table.csv"),
    ],
)
def test_bad_tables(read, tmp_path, text, options, told):
    with pytest.raises(ValueError, match=told) as caught:
        read(text, **options)
    assert str(tmp_path / "table.csv") in str(caught.value)


def test_a_full_last_column_spares_the_second_look(read, monkeypatch):
    """Short rows are looked for only where the last cell of a row is missing."""
    from hypcse.points.formats.text import Layout

    def never(self):
        raise AssertionError("rows were counted")

    monkeypatch.setattr(Layout, "check_widths", never)
    assert read("a,b\n,2\n3,4\n", impute="median").features.tolist() == [[3, 2], [3, 4]]
    with pytest.raises(AssertionError):
        read("a,b\n1,\n3,4\n")


def test_no_such_file_and_no_such_suffix(read, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        hypcse.read(tmp_path / "nothing.csv")
    with pytest.raises(ValueError, match=r"ends in '.doc'; points are read from .csv, .tsv"):
        read("a,b\n", "table.doc")


def test_a_data_frame_has_the_same_rules():
    frame = pd.DataFrame(
        {
            "id": range(10),
            "x": [1.5, None] * 5,
            "texts": ["1,5", "2,5"] * 5,
            "flag": [True, False] * 5,
            "kind": [1, 2] * 5,
        },
        index=[f"r{k}" for k in range(10)],
    )
    before = frame.copy()
    with pytest.raises(ValueError, match=r"the data frame: missing numbers: column 'x' 5"):
        hypcse.read(frame, label_column="kind", strict=True)
    points = hypcse.read(frame, label_column="kind", impute="median", strict=True)
    assert points.features[:2].tolist() == [[1.5, 1.5, 1], [1.5, 2.5, 0]]
    assert points.feature_names == ("x", "texts", "flag")
    assert points.names == tuple(f"r{k}" for k in range(10))
    assert points.labels.tolist() == ["1", "2"] * 5
    pd.testing.assert_frame_equal(frame, before)
    assert hypcse.read(frame, use=["flag"], id_column="id").names == tuple(map(str, range(10)))
    when = pd.DataFrame({"when": pd.to_datetime(["1970-01-02", "1970-01-03"]), "x": [1, 2]})
    assert hypcse.read(when, dates="number").features.tolist() == [[1, 1], [2, 2]]
    with pytest.raises(ValueError, match="column 'when', data row 1 holds '1970-01-02.*', which is a date"):
        hypcse.read(when, strict=True)


def test_what_is_not_read():
    with pytest.raises(TypeError, match=r"got list. hypcse.Points.of takes arrays"):
        hypcse.read([[1, 2]])


def test_cells_of_other_types():
    """Nullable types, decimals, days and lists, as Parquet files have them."""
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None, 3], "Int64"),
            "b": [Decimal("1.5"), None, Decimal("2.5")],
            "c": [date(1970, 1, 2), date(1970, 1, 3), None],
            "d": pd.array(["x", None, "y"], "string"),
            "e": pd.array([True, None, False], "boolean"),
        }
    )
    points = hypcse.read(frame, label_column="d", dates="number", impute="median", strict=True)
    assert points.features.tolist() == [[1, 1.5, 1, 1], [2, 2, 2, 0.5], [3, 2.5, 1.5, 0]]
    assert points.labels.tolist() == ["x", None, "y"]
    with pytest.raises(ValueError, match="column 'l', data row 1 holds '\\[1, 2\\]'"):
        hypcse.read(pd.DataFrame({"l": [[1, 2], [3]], "a": [1, 2]}), strict=True)
