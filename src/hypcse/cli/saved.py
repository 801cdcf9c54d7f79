"""`hypcse describe`, `predict` and `update`: what a folder that `hypcse fit` wrote is used for."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hypcse import EntropyClustering, describe
from hypcse._checks import say_count
from hypcse._progress import draw_bar
from hypcse.cli.folder import (
    CLUSTERS,
    FILES,
    OWN,
    csv_bytes,
    find,
    job_of,
    joined,
    model_files,
    show_findings,
    table_of,
)
from hypcse.cli.output import print_notes, tell
from hypcse.partitions.description import Description, Groups, names_of
from hypcse.partitions.words import columns_of, compared
from hypcse.points.columns import Columns
from hypcse.points.reading import read_points
from hypcse.storage.archive import read_archive
from hypcse.storage.files import check_file, check_place, write_file, write_folder
from hypcse.storage.models import HOMES, INNER, KIND

SHOWN = 30
"""Rows of a description that are printed."""


def run_describe(folder: Path, level: int | None, columns: int, out: Path | None, overwrite: bool) -> None:
    """Describe the clusters of a folder by its `clusters.csv`."""
    table = read_clusters(folder)
    column = "cluster" if level is None else f"level_{level}"
    if column not in table:
        known = [int(name.removeprefix("level_")) for name in table if name.startswith("level_")]
        raise ValueError(f"--level {level}: {folder} has the levels {min(known)} to {max(known)}, coarse to fine.")
    points = read_points(without_clusters(table), as_fitted(folder, load(folder), Columns(), ("label",)))
    labels = table[column].to_numpy(np.int64)
    if out is not None:
        _write(out, describe(labels, points, n_columns=columns).reset_index(), overwrite)
        return
    ids = np.unique(labels[labels >= 0])
    described = Description(columns_of(points), Groups.of_labels(labels, ids))
    shown = Table("cluster", "name", "points", "share", "typical values")
    for k, name in enumerate(names_of(described, ids)[:SHOWN]):
        size = int(described.groups.size[k])
        said = [compared(described.contrast(k, place)) for place in described.telling_most(k, columns)]
        shown.add_row(str(ids[k]), escape(name), f"{size:,}", f"{size / labels.size:.0%}", escape("\n".join(said)))
    n_outliers = int(np.count_nonzero(labels < 0))
    if n_outliers:
        shown.add_row("outliers", "", f"{n_outliers:,}", f"{n_outliers / labels.size:.0%}", "", style="dim")
    Console().print(shown)
    if ids.size > SHOWN:
        tell(f"and {ids.size - SHOWN} smaller ones; --out FILE.csv writes all of them.")


def run_predict(folder: Path, data: Path, out: Path | None, columns: Columns, overwrite: bool) -> None:
    """Write the rows of a new file with the cluster of each."""
    target = data.with_name(f"{data.stem}-clusters.csv") if out is None else out
    _check(target, overwrite)
    model = load(folder)
    points = read_points(data, as_fitted(folder, model, columns, ("decimal", "dates", "header", "sheet")))
    print_notes(points.notes)
    labels = model.predict(points)
    _write(target, joined(table_of(points), pd.DataFrame({"cluster": labels})), overwrite)


def run_update(folder: Path, data: Path, out: Path, columns: Columns, overwrite: bool) -> None:
    """Add the rows of a file to the model of a folder, and write all of it into another folder."""
    check_place(out, overwrite, FILES)
    model = load(folder)
    if not isinstance(model, EntropyClustering):
        raise ValueError(f"{folder} holds a {type(model).__name__}; only trees of the method entropy can be updated.")
    old = without_clusters(read_clusters(folder))
    if columns.id is None and model.tree_.names is not None:
        # The column that the names of the rows are from.
        same = (str(name) for name in old if tuple(old[name].astype(str)) == model.tree_.names)
        columns = replace(columns, id=next(same, None))
    columns = as_fitted(folder, model, columns, ("label", "decimal", "dates", "header", "sheet"))
    new = read_points(data, columns)
    print_notes(new.notes)
    begin, former = time.perf_counter(), model.labels_
    with draw_bar("update") as bar:
        model.set_params(callback=bar).update(new)
    model.set_params(callback=None)
    table = new.frame if new.frame is not None else pd.DataFrame(np.asarray(new.table), columns=old.columns)
    points = read_points(pd.concat([old, table], ignore_index=True), columns)
    findings = find(model, points, begin)
    job = {"folder": str(folder), "input": str(data), "columns": job_of(folder).get("columns", {})}
    before = np.append(np.where(former < 0, np.nan, former), np.full(new.n_points, np.nan))
    compare = {"before the update": before}
    files = model_files(model, points, findings, new.notes, job, folder.name, compare=compare)
    place = write_folder(out, files, overwrite, FILES)
    counts = model.changes_["change"].value_counts(sort=False)
    words = ", ".join(f"{count} {word}" for word, count in counts.items())
    moved = f"Clusters: {words}. {model.moved_.size:,} of {former.size:,} old rows moved."
    show_findings(findings, points, "update", place, files, [moved])


def read_clusters(folder: Path) -> pd.DataFrame:
    """The table with its clusters in a folder of `hypcse fit`."""
    file = folder / CLUSTERS
    if not file.is_file():
        raise FileNotFoundError(f"{folder} has no {CLUSTERS}. Pass a folder that `hypcse fit` wrote from a table.")
    table = pd.read_csv(file, low_memory=False)
    if "cluster" not in table:
        raise ValueError(f"{file} has no column 'cluster'. Pass a folder that `hypcse fit` wrote.")
    return table


def without_clusters(table: pd.DataFrame) -> pd.DataFrame:
    """The table as it was before `joined`."""
    named = {name: name[:-1] for name in table if name.endswith("_") and OWN.fullmatch(name[:-1])}
    return table.drop(columns=list(filter(OWN.fullmatch, table))).rename(columns=named)


def load(folder: Path) -> Any:
    """The model in a folder of `hypcse fit`, or in one that `save` wrote."""
    place = folder / INNER if (folder / INNER).is_dir() else folder
    if not place.is_dir():
        raise FileNotFoundError(f"{folder} is no folder. Pass one that `hypcse fit` wrote.")
    estimator = read_archive(place, KIND).content["estimator"]
    if estimator not in HOMES:
        raise ValueError(f"{folder} holds a model of {estimator}. Pass a folder that `hypcse fit` wrote.")
    return resolve_name(HOMES[estimator]).load(place)


def as_fitted(folder: Path, model: Any, columns: Columns, names: tuple[str, ...]) -> Columns:
    """The options that read the columns the model of a folder was fitted on; `names` are options that the fit keeps."""
    saved = job_of(folder).get("columns", {})
    columns = replace(columns, **{name: saved[name] for name in names if name in saved and not getattr(columns, name)})
    titles = getattr(model, "feature_names_in_", None)
    return columns if titles is None else columns.as_fitted(titles.tolist(), model._kinds or (None,) * len(titles))


def _check(target: Path, overwrite: bool) -> None:
    check_file(target)
    if target.exists() and not overwrite:
        raise FileExistsError(f"{target} exists. Choose another --out, or pass --overwrite to replace it.")


def _write(target: Path, frame: pd.DataFrame, overwrite: bool) -> None:
    _check(target, overwrite)
    write_file(target, csv_bytes(frame))
    tell(f"Written to {target}: {say_count(len(frame), 'row')}.")
