"""What lies in a folder: whole results, the same as before, and nothing left over."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

from benchmarks.faults.attempt import expect, last_lines

REPEATED = ("tree.nwk", "linkage.npy", "labels.csv", "embedding.npy")
"""Files of a result that are the same in every run; the others hold seconds."""


def snapshot(folder: Path) -> dict[str, str]:
    """Digests of all files below a folder, by their paths; a folder without files is there too."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        elif not any(path.iterdir()):
            found[name] = "an empty folder"
    return found


def check_unchanged(folder: Path, before: dict[str, str]) -> None:
    """Raise unless a folder holds what it held."""
    now = snapshot(folder)
    lost = sorted(name for name in before if now.get(name) != before[name])
    more = sorted(now.keys() - before.keys())
    expect(not lost, "loss", f"changed or gone: {', '.join(lost)[:300]}")
    expect(not more, "loss", f"left behind: {', '.join(more)[:300]}")


def check_names(folder: Path, wanted: set[str]) -> None:
    """Raise unless these names, hidden ones included, are all that a folder holds."""
    found = {path.name for path in folder.iterdir()}
    expect(found == wanted, "loss", f"the folder holds {sorted(found)} instead of {sorted(wanted)}")


def check_no_drafts(folder: Path) -> None:
    """Raise where a hidden draft is left."""
    left = sorted(str(path.relative_to(folder)) for path in folder.rglob(".*.part-*"))
    expect(not left, "loss", f"left behind: {', '.join(left)[:300]}")


def check_result(folder: Path) -> None:
    """Raise unless a folder holds a whole result of `hypcse fit`."""
    from hypcse import Tree
    from hypcse.saving.archive import read_archive
    from hypcse.saving.models import INNER, KIND

    try:
        tree = Tree.from_newick((folder / "tree.nwk").read_text(encoding="utf-8"))
        with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
            n_rows = sum(1 for _ in csv.reader(file)) - 1
        json.loads((folder / "scores.json").read_text(encoding="utf-8"))
        page = (folder / "tree.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
        read_archive(folder / INNER, KIND)
    except (OSError, ValueError) as error:
        expect(False, "loss", f"{folder.name} is not a whole result: {last_lines(error)}")
    expect(n_rows == tree.n_leaves and page, "loss", f"{folder.name} is not a whole result: {n_rows} rows, page {page}")


def repeated(folder: Path) -> dict[str, bytes]:
    """The files of a result that do not depend on the clock."""
    return {name: (folder / name).read_bytes() for name in REPEATED if (folder / name).exists()}
