"""Odd values of options: a call is done or refused, and nothing half-written stays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.faults.attempt import Part, Rng, Trial, expect
from benchmarks.faults.calls import Answer, call_command, check_answer
from benchmarks.faults.folders import check_no_drafts, check_result, check_unchanged, snapshot
from benchmarks.faults.materials.mutations import mutate, odd_text
from benchmarks.faults.materials.samples import points_in_groups

VALUES = (
    "nan", "inf", "-inf", "-1", "0", "1", "2", "0.5", "1e300", "1e-300", "1000", "99999999999999999999", "", " ",
    "none", "true", "[]", "{}", "a,b", "median", "ä漢", "=1+1", "%s", "{x}", "1_0", "0x10", "٣", "-0", "1e5", "..",
)  # fmt: skip
PATHS = (
    "no/such/place",
    "",
    ".",
    "data.csv",
    "taken",
    "x" * 300,
    "a\nb",
    "\ud800",
    "/dev/null",
    "/proc/x",
    "-",
    "ä漢 {body}",
    "new",
)
COLUMN_OPTIONS = (
    "--label-column", "--id-column", "--use", "--drop", "--keep", "--categorical", "--impute", "--dates", "--decimal",
    "--sheet",
)  # fmt: skip
GRAPH_OPTIONS = ("--neighbors", "--bandwidth", "--scale")
FLAGS = ("--header", "--no-header", "--edges")
OWN: dict[str, tuple[str, ...]] = {
    "fit": ("--method", "--set", "--effort", "--clusters", "--preset", "--epochs", "--device", "--seed", "--no-such"),
    "score": ("--labels", "--self-loops", "--seed"),
    "view": ("--labels", "--clusters", "--title"),
    "compare": ("--method", "--seed", "--jobs"),
}
LIGHT = (
    "ward",
    "single-linkage",
    "graph-average",
    "entropy",
    "bisecting-kmeans",
    "hdbscan",
    "hcse",
    "ufit",
    "fph",
    "hypcse",
)
TRAINED = ("hypcse", "ufit", "fph", "eph", "hyphc")
NUMBERS = ("nan", "inf", "-inf", "-1", "0", "1", "0.5", "1e300", "1e-300", "1000", "99999999999999999999", "none", "x")
HUGE = ("1000", "1e5", "1e300", "99999999999999999999", "inf")
CLASSES = {"--label-column": ("kind", "4", "name"), "--id-column": ("name", "5"), "--drop": ("kind", "name", "a,b,c")}
"""Values that mean something, tried now and then, so that what comes after the checks is reached."""
WORK = ("n_init", "max_iter", "n_epochs", "n_samples", "n_triples", "n_encoders", "n_seeds", "n_internal", "polish")
"""Options that say how much to do: as much as is asked for is done, so nothing huge is asked for."""


def try_options(trial: Trial) -> None:
    """Call the command with a few odd values."""
    rng = trial.rng
    _write_inputs(trial.folder, rng)
    if trial.number % 2:
        method, setting = _settings()[trial.number // 2 % len(_settings())]
        words, out = _fit_words(rng, method, [setting])
    else:
        name = str(rng.choice(list(MAKERS), p=[0.35, 0.25, 0.3, 0.1]))
        words, out = MAKERS[name](rng)
        words += _odd_words(name, rng)
    trial.say(f"hypcse {' '.join(map(repr, words))}")
    before = snapshot(trial.folder)
    answer = call_command(words, trial.folder)
    check_answer(answer)
    _check_place(trial.folder, before, out, answer, words)


def _write_inputs(folder: Path, rng: Rng) -> None:
    """Points, a tree of them and its labels, one of them fuzzed at times; and a place that is taken."""
    table = points_in_groups(rng, 12)
    table.to_csv(folder / "data.csv", index=False)
    nested = ",".join(f"{name.replace(' ', '_')}:1" for name in table["name"])
    (folder / "tree.nwk").write_text(f"({nested});\n", encoding="utf-8")
    (folder / "labels.txt").write_text("\n".join(table["kind"]) + "\n", encoding="utf-8")
    (folder / "taken").mkdir()
    (folder / "taken" / "mine.txt").write_text("mine", encoding="utf-8")
    if rng.random() < 0.3:
        chosen = folder / str(rng.choice(["data.csv", "tree.nwk", "labels.txt"]))
        chosen.write_bytes(mutate(chosen.read_bytes(), rng)[0])


def _fit_words(rng: Rng, method: str = "", settings: Sequence[str] = ()) -> tuple[list[str], str]:
    """A fit by one of the light methods unless one is given, with a few odd settings unless there are some."""
    odd = not method
    method = method or str(rng.choice(LIGHT))
    words = ["fit", _source(rng) if odd else "data.csv", "--method", method, "--no-stability"]
    words += ["--label-column", "kind", "--id-column", "name"]
    words += [f"--set={word}" for word in settings or [_setting(method, rng) for _ in range(int(rng.integers(3)))]]
    if method in TRAINED and not any("n_epochs" in word for word in words):
        words.append("--epochs=2")
    out = _place(rng) if odd else "new"
    return [*words, f"--out={out}", *(["--overwrite"] if rng.random() < 0.2 else [])], out


@cache
def _settings() -> list[tuple[str, str]]:
    """Every option of every method with every odd number, mixed."""
    from hypcse import methods

    found = [
        (method, f"{name}={value}")
        for method in methods.available()
        for name in methods.describe(method).options
        for value in NUMBERS
        if name not in WORK or value not in HUGE
    ]
    return [found[int(k)] for k in np.random.default_rng(0).permutation(len(found))]


def _score_words(rng: Rng) -> tuple[list[str], str]:
    return ["score", "tree.nwk", f"--data={_source(rng)}", "--id-column", "name", "--label-column", "kind"], ""


def _view_words(rng: Rng) -> tuple[list[str], str]:
    words = ["view", "tree.nwk", "--no-open"]
    if rng.random() < 0.6:
        words += [f"--data={_source(rng)}", "--id-column", "name"]
    out = "page.html" if rng.random() < 0.6 else _place(rng)
    return [*words, f"--out={out}"], out


def _compare_words(rng: Rng) -> tuple[list[str], str]:
    out = _place(rng)
    return ["compare", _source(rng), f"--out={out}", "--method", "ward", "--drop", "kind,name"], out


MAKERS = {"fit": _fit_words, "score": _score_words, "view": _view_words, "compare": _compare_words}


def _source(rng: Rng) -> str:
    return "data.csv" if rng.random() < 0.85 else str(rng.choice(PATHS))


def _place(rng: Rng) -> str:
    return "new" if rng.random() < 0.7 else str(rng.choice(PATHS))


def _setting(method: str, rng: Rng) -> str:
    """An option of the method, mostly, with an odd value."""
    from hypcse import methods

    known = methods.describe(method).options or ("x",)
    name = str(rng.choice(known)) if rng.random() < 0.9 else odd_text(rng).replace("\x00", "")
    value = _value(rng)
    if name in WORK and value in HUGE:
        value = "3"
    return f"{name}={value}" if rng.random() < 0.95 else name


def _value(rng: Rng) -> str:
    return str(rng.choice(VALUES)) if rng.random() < 0.85 else odd_text(rng).replace("\x00", "")


def _odd_words(name: str, rng: Rng) -> list[str]:
    """A few more options, or the same again, with odd values."""
    choices = [*OWN[name], *COLUMN_OPTIONS, *(GRAPH_OPTIONS if name != "compare" else ())]
    words = []
    for option in rng.choice(choices, size=int(rng.integers(3))):
        known = CLASSES.get(str(option), ())
        value = str(rng.choice(known)) if known and rng.random() < 0.4 else _value(rng)
        words.append(f"{option}={value}" if option != "--epochs" else f"{option}={value[:2]}")
    return words + ([str(rng.choice(FLAGS))] if rng.random() < 0.1 else [])


def _check_place(folder: Path, before: dict[str, str], out: str, answer: Answer, words: list[str]) -> None:
    """Nothing is changed by what was refused; what was done is whole, and everything else as it was."""
    check_no_drafts(folder)
    if answer.code != 0:
        check_unchanged(folder, before)
        return
    now = snapshot(folder)
    lost = sorted(name for name in before if now.get(name) != before[name])
    expect(not lost, "loss", f"changed or gone: {', '.join(lost)[:300]}")
    if words[0] == "fit":
        check_result(folder / out)
        others = [name for name in now.keys() - before.keys() if folder / out not in (folder / name).parents]
        expect(not others, "loss", f"left behind: {', '.join(others)[:300]}")


PART = Part("options", "odd values of options of the command", try_options, seconds=60, memory=6)
