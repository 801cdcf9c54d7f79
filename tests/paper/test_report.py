"""Reports: what they say, as Markdown and as a page."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.results_page import results_page
from hypcse.paper.experiments import EXPERIMENTS, experiment, plan
from hypcse.paper.report.content import build_report
from hypcse.paper.report.render import Entry, Grid, Heading, Picture, Text, to_html, to_markdown, write_report
from hypcse.paper.report.summary import Results
from hypcse.paper.runner import read_records

CIRCUMSTANCES = {
    "version": "0.1.0",
    "libraries": {"python": "3.11"},
    "machine": "a machine",
    "when": "2026-01-02T03:04:05+00:00",
}


PICTURE = {
    "parent": [3, 3, 4, 4, -1],
    "height": [0, 0, 0, 1, 2],
    "embedding": [[0.5, 0], [0.4, 0.1], [-0.5, 0]],
    "classes": [0, 0, 1],
}


def made_up(name, rng=None, **limits):
    """Results of a declared experiment in which every task was given scores at random."""
    rng = rng or np.random.default_rng(0)
    planned = plan(experiment(name), **limits)
    records = {}
    for _, task in planned:
        metrics = ("dendrogram_purity", "structural_entropy", "dasgupta_cost", "points", "features", "classes",
                   "distinct_points", "edges", "components", *experiment(name).metrics)  # fmt: skip
        scores = {metric: float(rng.uniform(0.5, 1)) for metric in metrics}
        records[task.key] = {
            "key": task.key, "data": task.data, "seed": task.seed, "options": task.options, "method": task.method,
            "scores": scores, "picture": PICTURE, "seconds": float(rng.uniform(1, 2)), "peak_mb": 10.0, **CIRCUMSTANCES,
        }  # fmt: skip
    return Results(experiment(name), planned, records)


def grid_below(text, heading):
    """Lines of the first grid below a heading."""
    part = text.split(f"### {heading}\n")[1]
    return [
        line for line in part.split("\n\n")[1 if part.lstrip()[0] != "|" else 0].splitlines() if line.startswith("|")
    ]


def test_table_1_has_every_part():
    text = to_markdown(build_report([made_up("table1")], "Results", "Made up."))
    purity = grid_below(text, "Dendrogram purity (percent)")
    assert len(purity) == 2 + len(experiment("table1").rows)
    assert sum("**" in line for line in purity) >= 1 and sum("<ins>" in line for line in purity) >= 1
    single = next(line for line in purity if line.startswith("| SingleLinkage"))
    assert single.count("(") == 7 and re.search(r"\(97\.6 [+-]\)", single)
    for heading in ("Verdicts: on how many data sets", "Mean ranks over data sets"):
        assert f"### {heading}" in text
    assert "counts as reproduced when" in text


@pytest.mark.parametrize("name", [one.name for one in EXPERIMENTS])
def test_every_experiment_is_reported(name, tmp_path):
    blocks = build_report([made_up(name)], "Results", "Made up.")
    files = write_report(blocks, tmp_path, name)
    assert all(path.read_text(encoding="utf-8") for path in files)
    linked = set(re.findall(r"\((\S+\.svg)\)", files[0].read_text(encoding="utf-8")))
    assert linked == {str(path.relative_to(tmp_path)) for path in files[2:]}
    page = files[1].read_text(encoding="utf-8")
    assert page.count("<svg") == len(linked)
    assert not re.search(r"""(src|href)=["']?[^"'#]""", page)


def test_the_same_results_give_the_same_report():
    first, second = (build_report([made_up("tau"), made_up("growth")], "Results", "Made up.") for _ in range(2))
    assert first == second


def test_growth_finds_the_exponent():
    results = made_up("growth")
    for (_, task), record in zip(results.planned, results.records.values(), strict=True):
        record["seconds"] = 1e-6 * task.size**1.5
    lines = grid_below(to_markdown(build_report([results], "Results", "Made up.")), "Exponents")
    assert len(lines) == 2 + 9 and all(line.endswith("| 1.50 |") for line in lines[2:])


def test_a_smoke_run_judges_nothing():
    full = made_up("table1")
    smoke = Results(full.experiment, full.planned, full.records, judged=False)
    text = to_markdown(build_report([smoke], "Results", "Made up."))
    assert (
        "Verdicts" not in text
        and "(97.6)" in text
        and "figure stands in brackets." in text
        and "counts as reproduced" not in text
    )


def test_failures_are_said_aloud():
    results = made_up("table1", data_sets=["iris"])
    row, task = results.planned[0]
    results.records[task.key] = {**results.records[task.key], "error": "x"}
    text = to_markdown(build_report([results], "Results", "Made up."))
    assert f"| {row.label} | failed (" in text and "(1 failed)" in text


@pytest.mark.parametrize("name", [one.name for one in EXPERIMENTS])
def test_a_run_in_which_all_failed_or_half_is_missing_is_reported(name):
    results = made_up(name)
    half = Results(results.experiment, results.planned, dict(list(results.records.items())[::2]))
    assert f"of {len(results.planned)} planned tasks" in to_markdown(build_report([half], "Results", "Made up."))
    failed = {key: {**record, "error": "x"} for key, record in results.records.items()}
    text = to_markdown(build_report([Results(results.experiment, results.planned, failed)], "Results", "Made up."))
    assert "| failed" in text and "nan" not in text


def test_without_matplotlib_the_tables_remain(monkeypatch):
    monkeypatch.setattr("hypcse.paper.report.figures.can_draw", lambda: False)
    blocks = build_report([made_up("table1"), made_up("tau"), made_up("growth")], "Results", "Made up.")
    assert not any(isinstance(block, Picture) for block in blocks)
    assert any(isinstance(block, Text) and "matplotlib" in block.text for block in blocks)
    assert sum(isinstance(block, Grid) for block in blocks) > 5


def test_nothing_was_run():
    results = Results(experiment("table1"), plan(experiment("table1")), {})
    assert to_markdown(build_report([results], "Results", "Made up.")) == "# Results\n\nMade up. No task was run.\n"


def test_text_is_escaped():
    blocks = [Heading("<a> & b", 1), Text("by `a<b`"), Grid(("", "x|y"), ((Entry("r"), Entry("<1", "best", " (2)")),))]
    page = to_html("<a>", blocks)
    assert "<h1>&lt;a&gt; &amp; b</h1>" in page and "<b>&lt;1</b><small> (2)</small>" in page
    assert "<p>by <code>a&lt;b</code></p>" in page
    assert "x\\|y" in to_markdown(blocks) and "**<1** (2)" in to_markdown(blocks)


def test_names_and_errors_are_shown_as_they_are():
    """Whatever they hold, Markdown makes nothing of it, and text that is finished is not looked at again."""
    name = "{body} <img src=x>|*b* [c](d)\n# e_ \\ &lt; ~f~ `g"
    shown = r"{body} \<img src=x>\|\*b\* \[c\](d) # e\_ \\ \&lt; \~f\~ \`g"
    blocks = [Heading(name, 1), Text(f"By `h*`: {name}"), Grid(("a", name), ((Entry(name), Entry(name, "best", "i")),))]
    text = to_markdown(blocks)
    assert text.splitlines()[0] == f"# {shown}" and f"By `h*`: {shown}\n" in text
    assert text.splitlines()[-3:] == [f"| a | {shown} |", "| --- | --- |", f"| {shown} | **{shown}**i |"]
    page = to_html(name, blocks)
    assert page.count("<h1>") == 1 and "<title>{body} &lt;img" in page and "<img" not in page


DOCS = Path(__file__).parents[2] / "docs"


def test_the_results_of_the_docs_are_those_of_their_records():
    """docs/results.md is what `python -m benchmarks results` writes from the records."""
    path = DOCS / "results" / "records.jsonl.gz"
    planned = {task.key for one in EXPERIMENTS for _, task in plan(one)}
    assert {record["key"] for record in read_records(path)} <= planned
    blocks = results_page(path)
    assert all((DOCS / "results" / f"{block.name}.svg").exists() for block in blocks if isinstance(block, Picture))
    assert to_markdown(blocks, "results/") == (DOCS / "results.md").read_text(encoding="utf-8")


def test_every_experiment_is_in_the_docs_and_in_the_help():
    page = (DOCS / "reproducing.md").read_text(encoding="utf-8")
    call = [sys.executable, "-c", "from hypcse.cli import main; main()", "reproduce", "--help"]
    shown = subprocess.run(call, capture_output=True, text=True)
    for one in EXPERIMENTS:
        assert f"`{one.name}`" in page
        assert re.search(rf"\b{one.name}\b", shown.stdout)
