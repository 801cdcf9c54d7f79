"""What there is: names, sizes, and how the authors' files are recognised."""

from __future__ import annotations

import difflib
from dataclasses import dataclass


@dataclass(frozen=True)
class Dataset:
    """A data set of the UCI Machine Learning Repository (CC BY 4.0) in the form that the paper's authors used."""

    name: str
    n_points: int
    n_features: int
    n_classes: int
    file: str
    n_bytes: int
    sha256: str
    note: str = ""


CATALOGUE = (
    Dataset(
        "zoo", 101, 16, 7, "Zoo.mat", 871,
        "89b9f7cfb706e304cd033418e4d4047af26096b9cc43cb5a8cd32f6be01eddb3",
        "42 duplicate rows: ties matter",
    ),
    Dataset(
        "iris", 150, 4, 3, "Iris.mat", 1104,
        "e5d3db3b15fcdc073fe86a9e4c9ffccce518e6f889f549b0ef4e6e357c44b639",
        "UCI's uncorrected file: 3 entries differ from scikit-learn's",
    ),
    Dataset(
        "wine", 175, 13, 3, "wine.mat", 19840,
        "17438f1f04464ea615cb624616f781bc3d54c87eabcd330aa76995bdf3dceae0",
        "175 of UCI's 178 rows, columns already in [-1, 1]",
    ),
    Dataset(
        "breast-cancer", 683, 10, 2, "breast-cancer.mat", 60344,
        "7198170e88e87438be9558ebf826de6a11d2a8d226a1a7f33b255bb7fc2fd0d2",
        "column 0 is the sample id, counted by the paper as a feature",
    ),
    Dataset(
        "optical-digits", 1797, 64, 10, "OpticalDigits.mat", 934680,
        "8a0ab8bc2915365fb310d2471f0e26316017e9f43664fe507417b8a672544f17",
        "scikit-learn's load_digits",
    ),
    Dataset(
        "spambase", 4601, 57, 2, "Spambase.mat", 162624,
        "f861cf52921ddaa1e40c2025f2b14ad23abfab0877ce141cdc544587a811584b",
        "394 duplicate rows, heavy-tailed columns",
    ),
    Dataset(
        "pen-digits", 10992, 16, 10, "PenDigits.mat", 1495152,
        "68dfbb978164d108bea1d426a5a924325e6b9f162b399146463b17e059db6ea1",
    ),
    Dataset(
        "glass", 214, 9, 6, "Glass.mat", 4983,
        "e41337263f967fdd2cba38780198864ff6564fac40ccd252e8228628d07f3b53",
        "Table 3 only",
    ),
    Dataset(
        "segmentation", 210, 19, 7, "Segmentation.mat", 13550,
        "0207559d99576c86d88ca832eb435a9057373721ca10362a80d12ea21b420228",
        "Table 3 only; 1 constant column",
    ),
)  # fmt: skip


def available() -> list[str]:
    """Names of all data sets."""
    return [entry.name for entry in CATALOGUE]


def describe(name: str) -> Dataset:
    """The catalogue's entry of that name."""
    for entry in CATALOGUE:
        if entry.name == name:
            return entry
    near = difflib.get_close_matches(str(name), available(), n=1)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"data set {name!r} is not known.{guess} Choose one of {', '.join(available())}.")
