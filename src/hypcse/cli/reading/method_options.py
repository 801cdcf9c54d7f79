"""Options of a method as the command takes them: `--set NAME=VALUE`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import NoneType
from typing import Any

from hypcse.methods.options import Option, check_names
from hypcse.methods.registry import Method

# Parameters of estimators that the command has its own options for, for every method.
ELSEWHERE = {
    "refine": "--refine, --no-refine or --effort",
    "n_neighbors": "--neighbors",
    "bandwidth": "--bandwidth",
}
# Parameters that the command sets itself.
TAKEN = ("callback", "checkpoint_dir", "verbose")
_WORDS: dict[str, Any] = {"none": None, "true": True, "false": False}
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", NoneType: "none"}


def settable(method: Method) -> tuple[Option, ...]:
    """The options that `--set` takes: all of the method's except those that the command sets itself."""
    own = {*TAKEN, *(ELSEWHERE if method.estimator is not None else ())}
    return tuple(option for option in method.parameters if option.name not in own)


def read_options(words: Sequence[str], method: Method) -> dict[str, Any]:
    """The options of `--set`, each converted to the type that the method declares."""
    texts = _texts_of(words)
    for name in texts if method.estimator is not None else ():
        if name in ELSEWHERE:
            raise ValueError(f"--set {name}: the command has an option for it. Pass {ELSEWHERE[name]}.")
    for name in texts:
        if name in TAKEN:
            raise ValueError(f"--set {name}: the command sets it itself. In Python, pass {name}= to the estimator.")
    return read_words(words, method.name, {option.name: option for option in settable(method)} if texts else {})


def read_words(words: Sequence[str], title: str, options: dict[str, Option]) -> dict[str, Any]:
    """The values of NAME=VALUE, of what has that title and takes these options."""
    texts = _texts_of(words)
    check_names(title, texts, options)
    return {name: typed_value(text, options[name]) for name, text in texts.items()}


def _texts_of(words: Sequence[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        if not (name and equals):
            raise ValueError(f"--set {word!r} is not NAME=VALUE. `hypcse methods` lists the names.")
        if name in texts:
            raise ValueError(f"--set gives {name} twice, {texts[name]!r} and {text!r}. Pass one of them.")
        texts[name] = text
    return texts


def parse_value(text: str) -> Any:
    """None, a boolean, a whole number, a number, or else the text. Nothing is run.

    >>> [parse_value(text) for text in ("3", "1e-3", "inf", "True", "none", "unit")]
    [3, 0.001, inf, True, None, 'unit']
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def typed_value(text: str, option: Option) -> Any:
    """The value of an option; raise if the text is not of its type."""
    from hypcse.saving.options import fits, to_plain

    for read in (parse_value(text), text):
        value = to_plain(read, option.kind)
        # The method decides whether a number may be infinite.
        bounded = 0.0 if isinstance(value, float) and not math.isfinite(value) else value
        if fits(bounded, option.kind):
            return value
    wanted = " or ".join(_described(option.kind))
    raise ValueError(
        f"--set {option.name}={text}: {option.name} takes {wanted}; by default {format_value(option.default)}."
    )


def _described(kind: Any) -> list[str]:
    """The values of an annotation in words."""
    from hypcse.saving.options import kinds_of, literals

    return [*map(str, literals(kind)), *(_KINDS[part] for part in kinds_of(kind))]


def format_value(value: Any) -> str:
    """A value as `--set` takes it."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
