"""`hypcse describe` and `hypcse predict`: tables from a folder that `hypcse fit` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hypcse import EntropyClustering, HypCSE, describe
from hypcse.cli.folder import CLUSTERS, OWN, joined
from hypcse.cli.output import print_notes
from hypcse.methods.clustering import MethodClustering
from hypcse.points.columns import Columns
from hypcse.points.reading import read_points
from hypcse.storage.archive import read_archive
from hypcse.storage.files import check_file
from hypcse.storage.models import INNER, KIND
from hypcse.storage.whole import write_file

SHOWN = 30
"""Rows of a description that are printed."""


def run_describe(folder: Path, level: int | None, n_columns: int, out: Path | None, overwrite: bool) -> None:
    """Describe the clusters of a folder by its `clusters.csv`."""
    table = read_clusters(folder)
    column = "cluster" if level is None else f"level_{level}"
    if column not in table:
        known = [int(name.removeprefix("level_")) for name in table if name.startswith("level_")]
        raise ValueError(f"--level {level}: {folder} has the levels {min(known)} to {max(known)}, coarse to fine.")
    data = table[[name for name in table if not OWN.fullmatch(name)]]
    frame = describe(table[column].to_numpy(np.int64), data, n_columns=n_columns)
    if out is not None:
        _write(out, frame.reset_index(), overwrite)
        return
    shown = Table("cluster", "name", "points", "share")
    columns = [name for name in frame if f"{name} (others)" in frame]
    for name in columns:
        shown.add_column(escape(f"{name} (others)"))
    for cluster, row in frame.head(SHOWN).iterrows():
        values = (f"{_said(row[name])} ({_said(row[f'{name} (others)'])})" for name in columns)
        own = "outliers" if cluster == -1 else str(cluster)
        shown.add_row(own, escape(row["name"]), f"{row['size']:,}", f"{row['share']:.0%}", *map(escape, values))
    console = Console()
    console.print(shown)
    if len(frame) > SHOWN:
        console.print(f"and {len(frame) - SHOWN} smaller ones; --out FILE.csv writes all of them.")


def _said(value: Any) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def read_clusters(folder: Path) -> pd.DataFrame:
    """The table with its clusters in a folder of `hypcse fit`."""
    file = folder / CLUSTERS
    if not file.is_file():
        raise FileNotFoundError(f"{folder} has no {CLUSTERS}. Pass a folder that `hypcse fit` wrote from a table.")
    frame = pd.read_csv(file, low_memory=False)
    if "cluster" not in frame:
        raise ValueError(f"{file} has no column 'cluster'. Write the folder again with `hypcse fit`.")
    return frame


def run_predict(folder: Path, data: Path, out: Path | None, columns: Columns, overwrite: bool) -> None:
    """Write the rows of a new file with the cluster of each."""
    target = data.with_name(f"{data.stem}-clusters.csv") if out is None else out
    _check(target, overwrite)
    model = load(folder)
    points = read_points(data, as_fitted(model, columns))
    print_notes(points.notes)
    labels = model.predict(points)
    table = points.frame if points.frame is not None else pd.DataFrame(np.asarray(points.table))
    _write(target, joined(table, pd.DataFrame({"cluster": labels})), overwrite)


def load(folder: Path) -> Any:
    """The model in a folder of `hypcse fit`, or in one that `save` wrote."""
    place = folder / INNER if (folder / INNER).is_dir() else folder
    if not place.is_dir():
        raise FileNotFoundError(f"{folder} is no folder. Pass one that `hypcse fit` wrote.")
    name = read_archive(place, KIND)[0].get("estimator")
    kinds: dict[Any, Any] = {kind.__name__: kind for kind in (EntropyClustering, HypCSE, MethodClustering)}
    if name not in kinds:
        raise ValueError(f"{folder} holds a {name}. Pass a folder that `hypcse fit` wrote.")
    return kinds[name].load(place)


def as_fitted(model: Any, columns: Columns) -> Columns:
    """The options that read the columns the model was fitted on, in the same way."""
    names = getattr(model, "feature_names_in_", None)
    if names is None or columns.use:
        return columns
    kinds = model._kinds or (None,) * len(names)
    texts = tuple(dict.fromkeys(kind for name, kind in zip(names, kinds, strict=True) if kind not in (None, name)))
    numbers = tuple(str(name) for name, kind in zip(names, kinds, strict=True) if kind in (None, name))
    return Columns(**{**vars(columns), "use": (*numbers, *texts), "categorical": texts, "impute": "median"})


def _check(target: Path, overwrite: bool) -> None:
    check_file(target)
    if target.exists() and not overwrite:
        raise FileExistsError(f"{target} exists. Choose another --out, or pass --overwrite to replace it.")


def _write(target: Path, frame: pd.DataFrame, overwrite: bool) -> None:
    _check(target, overwrite)
    write_file(target, frame.to_csv(index=False, lineterminator="\n"))
    Console(soft_wrap=True, highlight=False).print(f"Written to {target}: {len(frame):,} rows.", markup=False)
