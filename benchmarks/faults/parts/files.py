"""Fuzzed files of every format: each is read, or refused in one line that names it."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.faults.attempt import Part, Rng, Trial, Violation, check_refusal, expect
from benchmarks.faults.materials.mutations import mutate
from benchmarks.faults.materials.samples import packed, write_sample
from hypcse._formats import FORMATS

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"edges": True},
    {"impute": "median", "dates": "number"},
    {"label_column": "kind"},
    {"label_column": 4, "header": False},
    {"id_column": "id", "categorical": "text"},
    {"sheet": 2},
    {"decimal": ","},
)


def try_file(trial: Trial) -> None:
    """Read one fuzzed file."""
    import hypcse

    rng = trial.rng
    suffix = list(FORMATS)[trial.number % len(FORMATS)]
    whole = trial.folder / f"whole{suffix}"
    write_sample(whole, suffix, rng)
    content, how = mutate(whole.read_bytes(), rng)
    if FORMATS[suffix].packed and rng.random() < 0.15:
        content, how = packed(content), f"{how}, packed"
    name = _name(suffix, content, rng)
    path = trial.folder / name
    path.write_bytes(content)
    options = OPTIONS[int(rng.integers(len(OPTIONS)))]
    trial.say(f"{suffix} as {name}, {how}, {len(content)} bytes, {options}")
    try:
        points = hypcse.read(path, **options)
    except Exception as error:
        check_refusal(error, str(path))
        # NumPy asks for all of an array before it reads, so that nothing is taken where that is refused.
        lazy = path.suffix in (".npy", ".npz")
        if isinstance(error, MemoryError) and not lazy and _was_taken(str(error).replace(str(path), "")):
            raise Violation("wrong answer", f"memory beyond the limit for {len(content)} bytes: {error}") from error
        if isinstance(error, TypeError):
            raise Violation("traceback", f"TypeError for a file: {error}") from error
        return
    lost = suffix == ".mtx" and b" complex" in content[:80].lower() and path.suffix == ".mtx"
    expect(not lost, "wrong answer", "complex entries were read without their imaginary part")
    _check_points(points)


def _was_taken(text: str) -> bool:
    """Whether memory was taken until there was none, instead of being counted first: the words are not ours."""
    return not text.strip(" :") or any(word in text for word in ("Unable to allocate", "alloc of", "bad alloc"))


def _name(suffix: str, content: bytes, rng: Rng) -> str:
    """Mostly the right suffix, sometimes that of another format."""
    ending = str(rng.choice(list(FORMATS))) if rng.random() < 0.08 else suffix
    return f"fuzzed{ending}.gz" if content[:2] == b"\x1f\x8b" else f"fuzzed{ending}"


def _check_points(points: object) -> None:
    """Raise unless what was read can be clustered: it has points, whose numbers are finite."""
    features, graph = getattr(points, "features", None), getattr(points, "graph", None)
    expect(features is not None or graph is not None, "wrong answer", "neither features nor a graph were read")
    if features is not None:
        numbers = features.data if hasattr(features, "toarray") else np.asarray(features)
        expect(not np.iscomplexobj(numbers), "wrong answer", "complex features were read")
        expect(bool(np.isfinite(numbers).all()), "wrong answer", "features that are not finite were read")
    if graph is not None:
        expect(bool((graph.weights > 0).all()), "wrong answer", "a graph with weights that are not positive was read")
        expect(bool(np.isfinite(graph.weights).all()), "wrong answer", "a graph with infinite weights was read")


PART = Part("files", "fuzzed files of every format", try_file, seconds=30, memory=3)
