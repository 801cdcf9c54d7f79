"""Trees known from outside: elements, animals, languages, and what Python's libraries document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.evidence.data import Case, Data
from hypcse.datasets import load

ELEMENTS = Path(__file__).with_name("elements.csv")
"""Hydrogen to bismuth without promethium, rounded values of the usual tables: Pauling's electronegativity (Allen's of
helium, neon and argon), first ionization energy in kJ/mol, covalent radius in pm, kelvins, g/cm3."""
VERTEBRATES = 5
"""The first classes of `zoo`: mammals, birds, reptiles, fish, amphibians; insects and others follow."""
MODULES = {
    "numpy": ("linalg", "random", "fft", "ma"),
    "scipy": ("stats", "linalg", "optimize", "signal", "sparse", "special", "ndimage", "spatial"),
    "sklearn": ("cluster", "linear_model", "metrics", "preprocessing", "ensemble", "datasets", "decomposition"),
}
N_OF_MODULE = 60
FAMILIES = {
    "Indo-European": {
        "Germanic": "da de en fo is lb nb nl nn sv af fy",
        "Romance": "ca es fr gl it pt ro ast fur rm",
        "Slavic": "bs_Latn cs hr pl sk sl hsb dsb sr_Latn",
        "Celtic": "br cy ga gd",
        "Baltic": "lt lv",
    },
    "Uralic": {"Finnic": "et fi", "Ugric": "hu", "Sami": "se smn"},
    "Turkic": {"Turkic": "az tr tk uz"},
    "Austronesian": {"Malayo-Polynesian": "fil id jv ms mi"},
    "Niger-Congo": {"Bantu": "rw sn sw xh zu", "other": "ig yo wo"},
}
"""Languages in Latin script of which babel has the names of months, days and territories."""


def cases() -> Iterator[Case]:
    """One draw of each."""
    for name, make in (("elements", elements), ("zoo", zoo), ("languages", languages), ("documentation", docs)):
        yield Case(name, name, make, drawn=False)


def elements(_: int) -> Data:
    """Physical properties; metals, blocks, families."""
    table = pd.read_csv(ELEMENTS)
    table["density"] = np.log(table["density"])
    known = ("metal", "block", "family")
    return Data(tuple(map(_codes, (table[name] for name in known))), table.iloc[:, 4:].to_numpy(np.float64))


def zoo(_: int) -> Data:
    """Traits; vertebrates, classes."""
    X, y = load("zoo")
    return Data(((y < VERTEBRATES).astype(np.int64), y), X)


def languages(_: int) -> Data:
    """Letters in words; families and their branches."""
    from babel import Locale

    codes = [
        (code, family, branch)
        for family, found in FAMILIES.items()
        for branch in found
        for code in found[branch].split()
    ]
    texts = []
    for code, _family, _branch in codes:
        locale = Locale.parse(code)
        names = (locale.months["format"]["wide"], locale.days["format"]["wide"], locale.territories)
        texts.append(" ".join(str(word) for several in names for word in several.values()).lower())
    known = ([family for _, family, _ in codes], [f"{family} {branch}" for _, family, branch in codes])
    return _of_texts(texts, known, analyzer="char_wb", ngram_range=(2, 3))


def docs(_: int) -> Data:
    """Docstrings of public names, at most 60 of a module; libraries, modules."""
    texts, libraries, modules = [], [], []
    for library, names in MODULES.items():
        for name in names:
            module = import_module(f"{library}.{name}")
            public = [getattr(module, public) for public in sorted(module.__all__)]
            found = [text for one in public if callable(one) and len(text := getdoc(one) or "") > 200][:N_OF_MODULE]
            texts += found
            libraries += [library] * len(found)
            modules += [f"{library}.{name}"] * len(found)
    # Words alone: some numbers in SciPy's examples are drawn anew by every process.
    words = {"token_pattern": r"[^\W\d]{2,}", "stop_words": "english", "sublinear_tf": True}
    return _of_texts(texts, (libraries, modules), **words)


def _of_texts(texts: Sequence[str], known: Sequence[Sequence[str]], **options: Any) -> Data:
    """Unit vectors, so that distances rank as angles do."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    weights = TfidfVectorizer(max_df=0.5, **options).fit_transform(texts)
    X = TruncatedSVD(min(50, len(texts) - 1), random_state=0).fit_transform(weights)
    # Rounded, so that the number of threads does not change the last digits.
    return Data(tuple(map(_codes, known)), np.round(normalize(X), 6), scale="none")


def _codes(values: Any) -> Any:
    return np.unique(np.asarray(values), return_inverse=True)[1]
