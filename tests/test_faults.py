"""A short part of the campaign of faults finds nothing, and the campaign finds faults that are planted."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import hypcse.cli.fitting.fit
import hypcse.discrete
import hypcse.points.reading.sources
import hypcse.saving.models
import hypcse.show.page.bundle
from benchmarks.__main__ import main
from benchmarks.faults.attempt import Part, Verdict, judge
from benchmarks.faults.calls import Answer, check_answer
from benchmarks.faults.campaign import Crew, take_turns
from benchmarks.faults.command import MARK, Tally, list_violations, table_of
from benchmarks.faults.materials.samples import SAMPLES
from benchmarks.faults.parts import PARTS, environments
from benchmarks.marked import write_marked
from hypcse._formats import FORMATS
from hypcse.show.page.payload import to_json

SEED = 0
INSIDE = {"options": range(12), "library": range(18), "page": range(1, 12), "models": range(40)}
"""Parts that are tried in this process, and the numbers of the tries."""
OUTSIDE = {"files": range(33), "kills": (0, 3, 6), "environments": ("TERM=dumb", "a deleted folder")}
"""Parts that may end the process, or that fork."""

BEGIN, END = f"<!-- {MARK}: begin -->", f"<!-- {MARK}: end -->"

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits and kills are those of Linux")


@pytest.fixture(autouse=True)
def _plain_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the command sets for the whole process is brought back."""
    import warnings

    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setenv("COLUMNS", "200")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", INSIDE)
def test_a_short_campaign_finds_nothing(name: str) -> None:
    verdicts = [judge(PARTS[name], SEED, number) for number in INSIDE[name]]
    assert [verdict for verdict in verdicts if verdict.kind] == []


@linux
@pytest.mark.parametrize("name", OUTSIDE)
def test_a_short_campaign_in_processes_finds_nothing(name: str) -> None:
    known = list(environments.SURROUNDINGS)
    numbers = [known.index(one) if isinstance(one, str) else one for one in OUTSIDE[name]]
    assert [verdict for verdict in tried(Crew(PARTS[name], SEED), numbers) if verdict.kind] == []


def tried(crew: Crew, numbers: list[int]) -> list[Verdict]:
    try:
        return [crew.attempt(number) for number in numbers]
    finally:
        crew.stop()


def fail(*given: object, **options: object) -> None:
    raise KeyError("planted")


def forget_names(shown: Any) -> str:
    return json.dumps({**json.loads(to_json(shown)), "names": []})


PLANTS = {
    "files": (hypcse.points.reading.sources, "suffix_of", fail, range(4), "traceback"),
    "options": (hypcse.cli.fitting.fit, "run_fit", fail, range(12), "exit code"),
    "library": (hypcse.discrete, "refine", lambda tree, graph: tree.subtree(0), range(0, 60, 6), "wrong answer"),
    "page": (hypcse.show.page.bundle, "to_json", forget_names, (1, 2), "wrong answer"),
    "models": (hypcse.saving.models, "read_archive", fail, range(4), "traceback"),
}
"""What is planted: a module, a name, what stands for it, the tries that meet it, and how it must be called."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, planted, numbers, kind = PLANTS[name]
    assert hasattr(module, attribute)
    monkeypatch.setattr(module, attribute, planted)
    if hasattr(hypcse, attribute):
        monkeypatch.setattr(hypcse, attribute, planted)
    assert kind in {judge(PARTS[name], SEED, number).kind for number in numbers}


TORN = """
import shutil
import hypcse.saving.models as models
from benchmarks.faults.worker import main

def write_torn(place, files, overwrite=False, owned=()):
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name, content in files.items():
        (place / name).write_bytes(content)

models.write_folder = write_torn
main()
"""


@linux
def test_a_writer_that_leaves_torn_files_is_found(tmp_path: Path) -> None:
    """Kills at later and later writes of a save, up to the first that falls between the old model and the new."""
    crew = Crew(PARTS["kills"], SEED, planted_program(tmp_path, TORN))
    try:
        assert "loss" in (crew.attempt(number).kind for number in (22, 24, 27, 32, 35, 38, 43, 46, 48))
    finally:
        crew.stop()


ENDING = """
import os, time
from benchmarks.faults.attempt import Part
from benchmarks.faults.worker import main

def end(trial):
    trial.say(f"number {trial.number}")
    if trial.number == 1:
        os.abort()
    if trial.number == 2:
        time.sleep(60)
    if trial.number == 3:
        bytearray(8 * 2**30)

main({"ending": Part("ending", "", end, memory=1)})
"""


@linux
def test_crashes_hangs_and_memory_are_found_and_stop_nothing(tmp_path: Path) -> None:
    part = Part("ending", "", lambda trial: None, seconds=1.5, memory=1)
    found = tried(Crew(part, SEED, planted_program(tmp_path, ENDING)), [0, 1, 0, 2, 3, 0])
    assert [verdict.kind for verdict in found] == [None, "crash", None, "hang", "traceback", None]
    assert "SIGABRT" in found[1].text and found[1].said == "number 1"
    assert "MemoryError" in found[4].text


def planted_program(tmp_path: Path, code: str) -> list[str]:
    script = tmp_path / "planted.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    root = str(Path(__file__).parents[1])
    return [sys.executable, "-c", f"import sys; sys.path.insert(0, {root!r}); exec(open({str(script)!r}).read())"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(1, "", "error inside hypcse: KeyError: 'x'"), "exit code"),
        (Answer(2, "", "Traceback (most recent call last):\nKeyError"), "traceback"),
        (Answer(-11, "", ""), "crash"),
        (Answer(2, "", "two lines\nof something"), "wrong answer"),
        (Answer(2, "", "error: x is not y."), None),
        (Answer(0, "fine", "note: fine"), None),
    ],
)
def test_what_a_call_may_end_with(answer: Answer, kind: str | None) -> None:
    part = Part("calls", "", lambda trial: check_answer(answer))
    assert judge(part, SEED, 0).kind == kind


def test_a_try_is_decided_by_its_seed() -> None:
    """The same numbers for the same seed, part and try, and others for any other."""
    drawn: list[float] = []
    one, other = (Part(name, "", lambda trial: drawn.append(trial.rng.random())) for name in ("one", "other"))
    for part, seed, number in ((one, 0, 0), (one, 0, 0), (one, 0, 1), (one, 1, 0), (other, 0, 0)):
        judge(part, seed, number)
    assert drawn[0] == drawn[1] and len(set(drawn)) == 4


def test_turns_share_the_time() -> None:
    class Stub(Crew):
        def attempt(self, number: int) -> Verdict:
            return Verdict(number, "", seconds=0.0)

    crews = [Stub(Part(name, "", lambda trial: None), 0) for name in "ab"]
    seen = [(crew.part.name, verdict.number) for crew, verdict in take_turns(crews, 0.2)]
    assert {name for name, _ in seen} == {"a", "b"}
    for name in "ab":
        assert [number for one, number in seen if one == name] == list(range(sum(one == name for one, _ in seen)))


def test_every_format_has_a_sample() -> None:
    assert SAMPLES.keys() == FORMATS.keys()


def test_the_report(tmp_path: Path) -> None:
    """The table counts by kind, a violation comes with its command, and a page keeps all but the marked place."""
    tally = Tally(PARTS["files"])
    for verdict in (Verdict(0, "a"), Verdict(7, "b", "hang", "no answer")):
        tally.add(verdict)
    sheet = table_of([tally])
    assert dict(zip(sheet.columns, sheet.rows[0], strict=True)) == {
        "part": "files", "tries": "2", "violations": "1", "tracebacks": "0", "crashes": "0", "hangs": "1",
        "exit codes": "0", "losses": "0", "wrong answers": "0",
    }  # fmt: skip
    assert "python -m benchmarks faults --seed 5 --only files --try 7" in list_violations([tally], 5)[0]
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    write_marked(page, sheet.to_markdown(), MARK)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}") and text.endswith(f"{END}\nafter\n")
    assert "old" not in text and "| files | 2 | 1 |" in text


@linux
def test_the_command_repeats_one_try(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "faults.md"
    assert main(["faults", "--seed", "0", "--only", "page", "--try", "1", "--out", str(out)]) == 0
    assert "page" in capsys.readouterr().out and "No violation" in out.read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["faults", "--try", "1"])


def test_the_docs_have_a_place_for_the_table() -> None:
    text = (Path(__file__).parents[1] / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert all(f"`{name}`" in text for name in PARTS)
    assert "reliability.md" in (Path(__file__).parents[1] / "mkdocs.yml").read_text(encoding="utf-8")
