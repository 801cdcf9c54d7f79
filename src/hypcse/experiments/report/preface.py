"""What a report says first: what ran where and when, and how to read its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hypcse._checks import say_count
from hypcse.experiments.results import METRICS, Figure, Results
from hypcse.experiments.results.metrics import with_capital
from hypcse.experiments.results.summary import RULE
from hypcse.experiments.running import Record
from hypcse.experiments.synthetic import made_size


def describe_runs(records: Sequence[Record], n_planned: int) -> str:
    """How many tasks ran, where and when, and with which seeds."""
    if not records:
        return "No task was run."
    failed = sum("error" in record for record in records)
    seconds = sum(record["seconds"] for record in records)
    time = f"{seconds / 3600:.1f} hours" if seconds > 3600 else f"{seconds:.0f} seconds"
    days = sorted({record["when"][:10] for record in records})
    versions = Counter(record["version"] for record in records)
    libraries = Counter(", ".join(f"{k} {v}" for k, v in record["libraries"].items()) for record in records)
    machines = Counter(record["machine"] for record in records)
    ran = say_count(len(records), "task")
    if len(records) != n_planned:
        ran = f"{len(records):,} of {say_count(n_planned, 'planned task')}"
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return (
        f"{ran}, each one method on one data set with one seed ({failed} failed): {time} of "
        f"methods at work, {when}. Version of hypcse: {_count(versions)}. Machines: {_count(machines)}. "
        f"Libraries: {_count(libraries)}.{_seeds(records)}"
    )


def _count(counts: Counter[str]) -> str:
    """Texts, and where there are several, how many tasks had which."""
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{text} ({say_count(count, 'task')})" for text, count in counts.most_common())


def _seeds(records: Sequence[Record]) -> str:
    """The seeds of methods that draw at random, by data set."""
    seeds: dict[str, set[int]] = {}
    for record in records:
        if made_size(record["data"]) is None:
            seeds.setdefault(record["data"], set()).add(record["seed"])
    by_seeds: dict[str, list[str]] = {}
    for data, found in seeds.items():
        by_seeds.setdefault(_range(found), []).append(data)
    parts = [f"{text} on {', '.join(names)}" for text, names in by_seeds.items()]
    return f" Random methods had {'; '.join(parts)}." if parts else ""


def _range(seeds: set[int]) -> str:
    """Seeds in words.

    >>> _range({0, 1, 2}), _range({3})
    ('seeds 0 to 2', 'seed 3')
    """
    first, last = min(seeds), max(seeds)
    if len(seeds) == last - first + 1 > 2:
        return f"seeds {first} to {last}"
    return f"seed{'s' if len(seeds) > 1 else ''} {' and '.join(map(str, sorted(seeds)))}"


def legend(results: Sequence[Results]) -> Iterator[str]:
    """How to read the figures."""
    kinds = {one.experiment.kind for one in results}
    if kinds & {"table", "sweep"}:
        yield (
            f"Figures are means over seeds ± their deviation. {_directions(results)} In tables of methods the best of "
            "a column is bold and the second underlined."
        )
    elif kinds & {"planted", "flat", "labelled", "few"}:
        yield "Figures are means over seeds. The best is bold and the second underlined."
    found = [figure for one in results for figure in _figures(one)]
    if any(figure.verdict for figure in found):
        yield f"The paper's figure stands in brackets with = reproduced, + better, - not reproduced. {RULE}"
    elif any(figure.paper is not None for figure in found):
        yield "The paper's figure stands in brackets."


def _directions(results: Sequence[Results]) -> str:
    """Which metrics of tables and sweeps are good when they are low, and which when they are high."""
    names = dict.fromkeys(
        name for one in results if one.experiment.kind in ("table", "sweep") for name in one.experiment.metrics
    )
    parts = [
        f"{word} is better for {' and '.join(phrases)}"
        for higher, word in ((False, "lower"), (True, "higher"))
        if (phrases := [METRICS[name].phrase for name in names if METRICS[name].higher == higher])
    ]
    return f"{with_capital(', '.join(parts))}."


def _figures(results: Results) -> Iterator[Figure]:
    for metric in results.experiment.metrics:
        for row in results.table(metric).values():
            yield from row.values()
