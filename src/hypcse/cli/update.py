"""`hypcse update`: new rows in the folder that `hypcse fit` wrote, as another folder."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from hypcse import EntropyClustering, score
from hypcse._progress import draw_bar
from hypcse.cli.folder import FILES, files_of_model, find, show_findings
from hypcse.cli.output import print_notes
from hypcse.cli.tables import as_fitted, load, read_clusters, saved_columns, without_clusters
from hypcse.points.columns import Columns
from hypcse.points.reading import read_points
from hypcse.storage.whole import check_place, write_folder


def run_update(folder: Path, data: Path, out: Path, columns: Columns, overwrite: bool) -> None:
    """Add the rows of a file to the model of a folder, and write all of it into another folder."""
    check_place(out, overwrite, FILES)
    model = load(folder)
    if not isinstance(model, EntropyClustering):
        raise ValueError(f"{folder} holds a {type(model).__name__}; only trees of the method entropy can be updated.")
    old = without_clusters(read_clusters(folder))
    columns = replace(columns, id=columns.id or _id_column(old, model.tree_.names))
    columns = as_fitted(folder, columns, ("label", "decimal", "dates", "header", "sheet"))
    new = read_points(data, columns)
    print_notes(new.notes)
    begin = time.perf_counter()
    former = model.labels_
    with draw_bar("update") as bar:
        model.set_params(callback=bar).update(new)
    model.set_params(callback=None)
    table = new.frame if new.frame is not None else pd.DataFrame(np.asarray(new.table), columns=old.columns)
    points = read_points(pd.concat([old, table], ignore_index=True), columns)
    findings = find(model)
    row = score(model.tree_, graph=model.graph_, labels=points.labels, clusters=model.labels_)
    seconds = time.perf_counter() - begin
    report = {
        "features": model.n_features_in_,
        "edges": model.graph_.n_edges,
        "notes": list(new.notes),
        "seconds": round(seconds, 3),
        "job": {"folder": str(folder), "input": str(data), "columns": saved_columns(folder)},
    }
    before = np.append(former.astype(np.float64), np.full(new.n_points, np.nan))
    compare = {"before the update": np.where(before < 0, np.nan, before)}
    files = files_of_model(model, points, findings, row, report, folder.name, compare=compare)
    place = write_folder(out, files, overwrite, FILES)
    changes = model.changes_
    counts = changes["change"].value_counts(sort=False)
    words = ", ".join(f"{count} {word}" for word, count in counts.items())
    more = [f"Clusters: {words}. {model.moved_.size:,} of {former.size:,} old rows moved."]
    show_findings(findings, model.labels_, points, place, files, {"method": "update", **row, "seconds": seconds}, more)


def _id_column(table: pd.DataFrame, names: tuple[str, ...] | None) -> str | None:
    """The column that the names of the rows are from."""
    if names is None:
        return None
    return next((str(name) for name in table if tuple(table[name].astype(str)) == names), None)
