"""What is known about the nine data sets before any of them is read."""

from __future__ import annotations

from dataclasses import dataclass

from hypcse._checks import did_you_mean


@dataclass(frozen=True)
class Dataset:
    """One data set: its file in the authors' repository, and the shapes that every copy must have.

    Attributes
    ----------
    name
        Name to pass to `load`.
    file, bytes, sha256
        The file in the authors' repository, its size and its checksum.
    n_points, n_features, n_classes
        Shape that every copy must have.
    note
        A note on the data.

    Examples
    --------
    >>> describe("iris").n_classes
    3
    """

    name: str
    file: str
    bytes: int
    sha256: str
    n_points: int
    n_features: int
    n_classes: int
    note: str


_TABLE = (
    ("zoo", "Zoo.mat", 871, "89b9f7cfb706e304cd033418e4d4047af26096b9cc43cb5a8cd32f6be01eddb3",
     101, 16, 7, "42 duplicate rows, so ties matter"),
    ("iris", "Iris.mat", 1104, "e5d3db3b15fcdc073fe86a9e4c9ffccce518e6f889f549b0ef4e6e357c44b639",
     150, 4, 3, "UCI's uncorrected file; scikit-learn's copy differs in 3 entries of rows 34 and 37"),
    ("wine", "wine.mat", 19840, "17438f1f04464ea615cb624616f781bc3d54c87eabcd330aa76995bdf3dceae0",
     175, 13, 3, "175 of UCI's 178 rows; columns already in [-1, 1]"),
    ("breast-cancer", "breast-cancer.mat", 60344, "7198170e88e87438be9558ebf826de6a11d2a8d226a1a7f33b255bb7fc2fd0d2",
     683, 10, 2, "Wisconsin (original); column 0 is the sample id, which the paper counts as a feature"),
    ("optical-digits", "OpticalDigits.mat", 934680, "8a0ab8bc2915365fb310d2471f0e26316017e9f43664fe507417b8a672544f17",
     1797, 64, 10, "equals scikit-learn's load_digits; 3 constant columns"),
    ("spambase", "Spambase.mat", 162624, "f861cf52921ddaa1e40c2025f2b14ad23abfab0877ce141cdc544587a811584b",
     4601, 57, 2, "394 duplicate rows, heavy-tailed columns"),
    ("pen-digits", "PenDigits.mat", 1495152, "68dfbb978164d108bea1d426a5a924325e6b9f162b399146463b17e059db6ea1",
     10992, 16, 10, "the largest of the nine"),
    ("glass", "Glass.mat", 4983, "e41337263f967fdd2cba38780198864ff6564fac40ccd252e8228628d07f3b53",
     214, 9, 6, "in the paper's Table 3 only"),
    ("segmentation", "Segmentation.mat", 13550, "0207559d99576c86d88ca832eb435a9057373721ca10362a80d12ea21b420228",
     210, 19, 7, "in the paper's Table 3 only; 1 constant column"),
)  # fmt: skip

_BY_NAME = {row[0]: Dataset(*row) for row in _TABLE}


def available() -> list[str]:
    """The names of the data sets, in the order of the paper's tables.

    Returns
    -------
    list of str
        Names.

    Examples
    --------
    >>> available().index("iris")
    1
    """
    return list(_BY_NAME)


def suggest(name: object) -> str:
    """A question with the likely data set, to end an error message; scikit-learn calls optical-digits digits."""
    return " Did you mean 'optical-digits'?" if name == "digits" else did_you_mean(name, _BY_NAME)


def describe(name: str) -> Dataset:
    """The catalog entry of one data set.

    Parameters
    ----------
    name
        One of `available`.

    Returns
    -------
    Dataset
        Its file and its shape.

    Examples
    --------
    >>> describe("zoo").n_points
    101
    """
    if name in _BY_NAME:
        return _BY_NAME[name]
    hint = suggest(name)
    raise ValueError(f"name={name!r} is not a known data set. Choose one of {', '.join(_BY_NAME)}.{hint}")
