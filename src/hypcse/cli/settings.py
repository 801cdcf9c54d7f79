"""The options of methods, as `--set NAME=VALUE` gives them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import NoneType
from typing import Any

from hypcse.methods.options import Option, check_names
from hypcse.methods.registry import Method
from hypcse.storage.options import fits, kinds_of, literals, to_plain

_ELSEWHERE = {"refine": "--refine, --no-refine or --effort", "n_neighbors": "--neighbors", "bandwidth": "--bandwidth"}
"""Parameters of estimators that the command has its own options for, for every method."""
_OWN = ("callback", "checkpoint_dir", "verbose")
"""Parameters that the command sets itself."""
_WORDS: dict[str, Any] = {"none": None, "true": True, "false": False}
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", NoneType: "none"}


def settable(method: Method) -> tuple[Option, ...]:
    """The options that `--set` takes: all of the method's except those that the command sets itself."""
    own = {*_OWN, *(_ELSEWHERE if method.estimator is not None else ())}
    return tuple(option for option in method.parameters if option.name not in own)


def read_options(words: Sequence[str], method: Method) -> dict[str, Any]:
    """The options of `--set`, each converted to the type that the method declares."""
    for name in _split(words):
        if name in _ELSEWHERE and method.estimator is not None:
            raise ValueError(f"--set {name}: the command has an option for it. Pass {_ELSEWHERE[name]}.")
        if name in _OWN:
            raise ValueError(f"--set {name}: the command sets it itself. In Python, pass {name}= to the estimator.")
    return read_words(words, method.name, {option.name: option for option in settable(method)} if words else {})


def read_words(words: Sequence[str], title: str, options: dict[str, Option]) -> dict[str, Any]:
    """The values of NAME=VALUE, of what has that title and takes these options."""
    texts = _split(words)
    check_names(title, texts, options)
    return {name: _typed_value(text, options[name]) for name, text in texts.items()}


def _split(words: Sequence[str]) -> dict[str, str]:
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
    """None, a boolean, a whole number, a number, or else the text. Nothing is run."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _typed_value(text: str, option: Option) -> Any:
    """The value of an option; raise if the text is not of its type."""
    for candidate in (parse_value(text), text):
        value = to_plain(candidate, option.kind)
        # The method decides whether a number may be infinite.
        if fits(0.0 if isinstance(value, float) and not math.isfinite(value) else value, option.kind):
            return value
    kinds = " or ".join([*map(str, literals(option.kind)), *(_KINDS[part] for part in kinds_of(option.kind))])
    raise ValueError(
        f"--set {option.name}={text}: {option.name} takes {kinds}; by default {format_value(option.default)}."
    )


def format_value(value: Any) -> str:
    """A value as `--set` takes it."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
