"""`hypcse describe` and `hypcse predict`: tables from a folder that `hypcse fit` wrote."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hypcse import EntropyClustering, HypCSE, describe
from hypcse._checks import say_count
from hypcse.cli.folder import CLUSTERS, OWN, REPORT, joined
from hypcse.cli.output import print_notes
from hypcse.methods.clustering import MethodClustering
from hypcse.partitions.cluster_table import names_of
from hypcse.partitions.description import Description, Groups, columns_of, compared
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
    points = read_points(without_clusters(table), as_fitted(folder, Columns(), ("label",)))
    labels = table[column].to_numpy(np.int64)
    if out is not None:
        _write(out, describe(labels, points, n_columns=n_columns).reset_index(), overwrite)
        return
    ids = np.unique(labels[labels >= 0])
    described = Description(columns_of(points), Groups.of_labels(labels, ids))
    shown = Table("cluster", "name", "points", "share", "typical values")
    for k, name in enumerate(names_of(described, ids)[:SHOWN]):
        size = int(described.groups.size[k])
        said = [compared(described.contrast(k, place)) for place in described.telling_most(k, n_columns)]
        shown.add_row(str(ids[k]), escape(name), f"{size:,}", f"{size / labels.size:.0%}", escape("\n".join(said)))
    n_outliers = int(np.count_nonzero(labels < 0))
    if n_outliers:
        shown.add_row("outliers", "", f"{n_outliers:,}", f"{n_outliers / labels.size:.0%}", "", style="dim")
    console = Console()
    console.print(shown)
    if ids.size > SHOWN:
        console.print(f"and {ids.size - SHOWN} smaller ones; --out FILE.csv writes all of them.")


def without_clusters(table: pd.DataFrame) -> pd.DataFrame:
    """The table as it was before `joined`."""
    named = {name: name[:-1] for name in table if name.endswith("_") and OWN.fullmatch(name[:-1])}
    return table.drop(columns=list(filter(OWN.fullmatch, table))).rename(columns=named)


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
    points = read_points(data, as_fitted(folder, columns, ("decimal", "dates", "header", "sheet")))
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


def saved_columns(folder: Path) -> dict[str, Any]:
    """The options on columns that the folder was fitted with."""
    report = folder / REPORT
    return json.loads(report.read_text(encoding="utf-8")).get("job", {}).get("columns", {}) if report.is_file() else {}


def as_fitted(folder: Path, columns: Columns, names: tuple[str, ...]) -> Columns:
    """The options that read the columns the model of a folder was fitted on; `names` are options that the fit keeps."""
    model, saved = load(folder), saved_columns(folder)
    columns = replace(columns, **{name: saved[name] for name in names if name in saved and not getattr(columns, name)})
    titles = getattr(model, "feature_names_in_", None)
    return columns if titles is None else columns.as_fitted(titles.tolist(), model._kinds or (None,) * len(titles))


def _check(target: Path, overwrite: bool) -> None:
    check_file(target)
    if target.exists() and not overwrite:
        raise FileExistsError(f"{target} exists. Choose another --out, or pass --overwrite to replace it.")


def _write(target: Path, frame: pd.DataFrame, overwrite: bool) -> None:
    _check(target, overwrite)
    write_file(target, frame.to_csv(index=False, lineterminator="\n"))
    Console(soft_wrap=True, highlight=False).print(
        f"Written to {target}: {say_count(len(frame), 'row')}.", markup=False
    )
