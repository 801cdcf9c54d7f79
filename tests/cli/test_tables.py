"""`hypcse describe` and `hypcse predict`, and the table with its clusters that `hypcse fit` writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ordinary_tables import cars, films

OPTIONS = ("--categorical", "origin", "--drop", "car name", "--impute", "median", "--out", "fitted")


@pytest.fixture
def fitted(command, tmp_path: Path) -> Path:
    """A folder of `hypcse fit`, of a table with gaps, categories and a column called like one of ours."""
    table, _ = cars(np.random.default_rng(0))
    table["cluster"] = np.random.default_rng(1).normal(size=len(table))
    table.to_csv("cars.csv", index=False)
    answer = command("fit", "cars.csv", *OPTIONS)
    assert answer.returncode == 0, answer.stderr
    return tmp_path / "fitted"


def test_the_table_comes_out_with_its_clusters(fitted: Path):
    table, own = pd.read_csv("cars.csv", na_values=["?"]), pd.read_csv(fitted / "clusters.csv")
    labels = pd.read_csv(fitted / "labels.csv")
    assert own["car name"].tolist() == table["car name"].tolist() and own["cluster_"].equals(table["cluster"])
    pd.testing.assert_series_equal(own["mpg"], table["mpg"])
    assert own["cluster"].equals(labels["label"].rename("cluster"))
    assert own["level_1"].equals(labels["level_1"]) and own["outlier_score"].between(0, 1).all()


def test_clusters_are_described(command, fitted: Path):
    answer = command("describe", "fitted", "--columns", "2")
    assert answer.returncode == 0 and "cylinders" in answer.stdout
    assert command("describe", "fitted", "--level", "2", "--out", "names.csv").returncode == 0
    frame, own = pd.read_csv("names.csv"), pd.read_csv(fitted / "clusters.csv")
    assert frame["name"].is_unique and frame["size"].tolist() == own["level_2"].value_counts().sort_index().tolist()
    refused = command("describe", "fitted", "--out", "names.csv")
    assert refused.returncode == 2 and "names.csv exists" in refused.stderr
    wrong = command("describe", "fitted", "--level", "99")
    assert wrong.returncode == 2 and "has the levels 1 to" in wrong.stderr
    nothing = command("describe", ".")
    assert nothing.returncode == 2 and "has no clusters.csv" in nothing.stderr


def test_rows_that_were_clustered_keep_their_cluster(command, fitted: Path):
    """As a file of new rows in another order, without the columns that were not used."""
    own, table = pd.read_csv(fitted / "clusters.csv"), pd.read_csv("cars.csv")
    complete = table[~table.isin(["?"]).any(axis=1) & table.notna().all(axis=1)].sample(frac=1, random_state=0)
    complete.drop(columns="car name").to_csv("new.csv", index=False)
    assert command("predict", "fitted", "new.csv").returncode == 0
    found = pd.read_csv("new-clusters.csv")
    assert found["cluster"].tolist() == own["cluster"][complete.index].tolist()
    again = command("predict", "fitted", "new.csv")
    assert again.returncode == 2 and "--overwrite" in again.stderr
    assert command("predict", "fitted/model", "new.csv", "--overwrite").returncode == 0


def test_without_options(command, tmp_path: Path):
    """The folder is named after the table; it is described in units, and new rows may be few and have gaps."""
    table, _ = films(np.random.default_rng(0))
    table.to_csv("films.csv", index=False)
    assert command("fit", "films.csv").returncode == 0
    shown = command("describe", "films-tree").stdout
    assert "$150,000,000" in shown and "(others" in shown and "id " not in shown
    table[:1].assign(rating="", genre="opera").to_csv("one.csv", index=False)
    assert command("predict", "films-tree", "one.csv").returncode == 0
    assert (
        pd.read_csv("one-clusters.csv")["cluster"].tolist()
        == pd.read_csv("films-tree/clusters.csv")["cluster"][:1].tolist()
    )
    table[:5].drop(columns="rating").to_csv("less.csv", index=False)
    refused = command("predict", "films-tree", "less.csv")
    assert refused.returncode == 2 and "less.csv has no column 'rating'" in refused.stderr


def test_other_methods_predict_too(command, fitted: Path):
    assert command("fit", "cars.csv", *OPTIONS[:-1], "by-ward", "--method", "ward").returncode == 0
    assert command("predict", "by-ward", "cars.csv").returncode == 0
    assert command("predict", "nowhere", "cars.csv", "--overwrite").returncode == 2


def test_a_folder_takes_new_rows_and_clusters_keep_their_numbers(command, fitted: Path):
    table = pd.read_csv("cars.csv")
    table.tail(20).assign(**{"car name": [f"new {k}" for k in range(20)]}).to_csv("new.csv", index=False)
    answer = command("update", "fitted", "new.csv", "--out", "more")
    assert answer.returncode == 0, answer.stderr
    assert "Clusters: " in answer.stdout and "before the update" in Path("more/tree.html").read_text(encoding="utf-8")
    before, after = pd.read_csv("fitted/clusters.csv"), pd.read_csv("more/clusters.csv")
    assert len(after) == len(before) + 20 and after["car name"].iloc[-1] == "new 19"
    assert (after["cluster"].iloc[: len(before)] == before["cluster"]).mean() > 0.7
    again = command("update", "more", "new.csv", "--out", "more")
    assert again.returncode == 2 and "more exists" in again.stderr
