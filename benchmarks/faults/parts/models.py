"""Mutated models: what is loaded is the model that was saved, or it is refused as damaged."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.faults.attempt import Part, Rng, Trial, Violation, check_refusal, expect, last_lines
from benchmarks.faults.materials.mutations import mutate, odd_text

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**63,
    2**70,
    1e300,
    -0.5,
    "",
    "x",
    [],
    [1],
    {},
    {"a": 1},
    [[]],
    "\ud800",
)


def try_model(trial: Trial) -> None:
    """Load one mutated model."""
    from hypcse.estimator import ModelFileError
    from hypcse.saving.models import pack_model

    rng = trial.rng
    model, files = _saved(trial.number % len(KINDS))
    folder = trial.folder / "model"
    folder.mkdir()
    forged = rng.random() < 0.6
    changed, how = _forge(files, rng) if forged else _damage(files, rng)
    for name, content in changed.items():
        (folder / name).write_bytes(content)
    trial.say(f"{type(model).__name__}, {how}")
    place = folder if rng.random() < 0.97 else folder / ("x" * int(rng.integers(200, 5000)))
    try:
        loaded = type(model).load(place)
    except ModelFileError as error:
        check_refusal(error)
        return
    except Exception as error:
        raise Violation("traceback", f"not a ModelFileError: {last_lines(error)}") from error
    if not forged:
        expect(pack_model(loaded) == files, "wrong answer", "a damaged model was loaded as another one")
        return
    _check_usable(loaded)


def _check_usable(model: Any) -> None:
    """A model whose digests were computed anew may be another valid one: it must be usable, or refuse in one line."""
    from hypcse.saving.models import pack_model

    for use in (pack_model, lambda it: it.predict(_points()), lambda it: it.tree_.to_newick(), repr):
        try:
            use(model)
        except Exception as error:
            check_refusal(error)


def _points() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(24, 3)) + 5 * rng.integers(0, 3, size=(24, 1))


def _entropy_model() -> Any:
    import hypcse

    return hypcse.EntropyClustering(random_state=0).fit(_points())


def _trained_model() -> Any:
    import hypcse

    return hypcse.HypCSE(n_epochs=1, random_state=0).fit(_points())


def _method_model() -> Any:
    from hypcse.methods import MethodClustering

    return MethodClustering("ward", random_state=0).fit(_points())


KINDS = (_entropy_model, _trained_model, _method_model)


@cache
def _saved(kind: int) -> tuple[Any, dict[str, bytes]]:
    """A fitted model and its files."""
    from hypcse.saving.models import pack_model

    model = KINDS[kind]()
    return model, pack_model(model)


def _damage(files: dict[str, bytes], rng: Rng) -> tuple[dict[str, bytes], str]:
    """Wrong bytes in one of the files, one that is gone, or both exchanged."""
    chosen = str(rng.choice(sorted(files)))
    draw = rng.random()
    if draw < 0.05:
        return {name: content for name, content in files.items() if name != chosen}, f"without {chosen}"
    if draw < 0.08:
        return dict(zip(files, reversed(files.values()), strict=True)), "files exchanged"
    content, how = mutate(files[chosen], rng)
    return {**files, chosen: content}, f"{how} of {chosen}"


def _forge(files: dict[str, bytes], rng: Rng) -> tuple[dict[str, bytes], str]:
    """One value of the content is another, and the digests are right."""
    from hypcse.saving.archive import pack, read_archive
    from hypcse.saving.models import KIND

    content = copy.deepcopy(_content(tuple(sorted(files.items())), read_archive, KIND))
    holder, key = _pick(content, rng)
    path = f"{key!r:.40}"
    holder[key] = _changed(holder[key], rng)
    try:
        return pack(KIND, content), f"{path} is {holder[key]!r:.80}"
    except (ValueError, TypeError, OverflowError, RecursionError):
        # A value that cannot be written at all.
        return files, "nothing"


@cache
def _content(files: tuple[tuple[str, bytes], ...], read_archive: Any, kind: str) -> dict[str, Any]:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        for file, content in files:
            (Path(name) / file).write_bytes(content)
        return dict(read_archive(Path(name), kind).content)


def _pick(content: dict[str, Any], rng: Rng) -> tuple[Any, Any]:
    """A place somewhere in the nested content."""
    holder: Any = content
    while True:
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        key = keys[int(rng.integers(len(keys)))]
        inner = holder[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.1:
            return holder, key
        holder = inner


def _changed(value: Any, rng: Rng) -> Any:
    """Another value: of an array other entries, type or shape; or something else altogether."""
    if isinstance(value, np.ndarray) and rng.random() < 0.85:
        return _changed_array(value, rng)
    if isinstance(value, str) and rng.random() < 0.5:
        return odd_text(rng)
    return ODD_VALUES[int(rng.integers(len(ODD_VALUES)))]


def _changed_array(array: np.ndarray, rng: Rng) -> np.ndarray:
    changed = array.copy()
    draw = int(rng.integers(6))
    if draw == 0:
        return changed.astype(str(rng.choice(["f8", "f4", "i8", "i4", "u1"])))
    if draw == 1:
        return changed[: len(changed) // 2] if changed.ndim else changed.reshape(1)
    if draw == 2:
        return changed[None]
    if draw == 3:
        return changed.ravel()[:0]
    if changed.size:
        place = int(rng.integers(changed.size))
        wild = [-1, 0, 10**6] if changed.dtype.kind in "iu" else [np.nan, np.inf, -1.0, 1e300, 0.0]
        with np.errstate(all="ignore"):
            changed.reshape(-1)[place] = np.array(rng.choice(wild)).astype(changed.dtype)
    return changed


PART = Part("models", "mutated saved models", try_model, seconds=60, memory=4)
