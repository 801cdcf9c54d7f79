"""What is released: one version, a wheel that is complete, a package that users' type checkers can read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import hypcse

ROOT = Path(__file__).parents[1]

SCRIPT = """
import numpy as np

import hypcse

X = np.random.default_rng(0).normal(size=(20, 2))
model = hypcse.EntropyClustering(n_clusters=2).fit(X)
reveal_type(hypcse.EntropyClustering)
reveal_type(model)
reveal_type(model.tree_)
reveal_type(model.labels_)
reveal_type(hypcse.similarity_graph(X))
reveal_type(hypcse.levels(model.tree_, model.graph_))
reveal_type(hypcse.structural_entropy(model.tree_, model.graph_))
reveal_type(hypcse.read("table.csv"))
reveal_type(hypcse.__version__)
"""
# Large packages that the script does not use are not read, which saves most of the time.
CONFIG = """
[mypy]
strict = true
follow_imports = silent
ignore_missing_imports = true
[mypy-torch.*,geoopt.*,triton.*,dask.*,networkx.*,matplotlib.*,rich.*,typer.*,anndata.*,pyarrow.*]
follow_imports = skip
"""
TYPES = [
    "def (",
    "hypcse.estimators.entropy_clustering.EntropyClustering",
    "hypcse.tree.tree.Tree",
    "numpy.ndarray[",
    "hypcse.graph.graph.Graph",
    "hypcse.partitions.nested_levels.Levels",
    "float",
    "hypcse.points.points.Points",
    "str",
]


def test_one_version() -> None:
    """The package's own; the citation and the changelog follow it, with the same date."""
    citation = (ROOT / "CITATION.cff").read_text()
    newest = re.search(r"^## \[(.+)\] - (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None and newest[1] == hypcse.__version__
    assert f"\nversion: {newest[1]}\ndate-released: {newest[2]}\n" in citation
    assert f'  version: "{newest[1]}"\n' in (ROOT / "conda" / "recipe.yaml").read_text()


def test_every_public_name_has_a_type() -> None:
    """Names that load on first use are declared for type checkers; no name is declared that does not load."""
    source = Path(hypcse.__file__).read_text()
    declared = re.findall(r"^    from \S+ import (\w+) as \1$", source, re.MULTILINE)
    assert sorted([*declared, "__version__"]) == sorted(hypcse.__all__)


def test_a_users_type_checker_sees_the_types(tmp_path: Path) -> None:
    """`mypy --strict` finds `py.typed`, and no error in a small script."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "mypy.ini").write_text(CONFIG)
    package = str(Path(hypcse.__file__).parents[1])
    # A package that is not installed is found by its path, as a source tree is; one that is installed, by itself.
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir=cache", "script.py"],
        cwd=tmp_path,
        env={**os.environ, **({} if "site-packages" in package else {"MYPYPATH": package})},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stdout
    revealed = re.findall(r'Revealed type is "(.+)"', found.stdout)
    assert len(revealed) == len(TYPES) and "Any" not in revealed
    assert [text for text, wanted in zip(revealed, TYPES, strict=True) if wanted not in text] == []


def test_the_wheel_is_complete(tmp_path: Path) -> None:
    """Everything in the package's folder but caches is in the wheel: the page, `py.typed`, the printed tables."""
    build = pytest.importorskip("hatchling.build", reason="hatchling is not installed")
    if not (ROOT / "src").is_dir():
        pytest.skip("there is no source tree here")
    done = subprocess.run(
        [sys.executable, "-c", f"from hatchling import build; print(build.build_wheel({str(tmp_path)!r}))"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert build and done.returncode == 0, done.stderr
    held = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    package = ROOT / "src" / "hypcse"
    files = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    wanted = {str(path.relative_to(package.parent)) for path in files if path.suffix not in (".nbi", ".nbc", ".pyc")}
    assert wanted <= held
    assert {name.split("/")[0] for name in held} == {"hypcse", f"hypcse-{hypcse.__version__}.dist-info"}
