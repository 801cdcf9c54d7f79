"""Options of methods, read from their signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import signature
from typing import Any, get_type_hints

from hypcse._checks import did_you_mean
from hypcse.saving.options import options_class


@dataclass(frozen=True)
class Option:
    """An option: its name, its default, and the annotation of its values."""

    name: str
    default: Any
    kind: Any


def keyword_options(function: Callable[..., Any], without: Iterable[str] = ()) -> tuple[Option, ...]:
    """The options of a function: its keyword-only parameters, except the names left out.

    Options of a nested value are listed by their plain names.
    """
    kinds = get_type_hints(function)
    found: list[Option] = []
    for name, parameter in signature(function).parameters.items():
        if parameter.kind == parameter.KEYWORD_ONLY and name not in without:
            own, nested = Option(name, parameter.default, kinds[name]), options_class(kinds[name])
            found += [own] if nested is None else keyword_options(nested.__init__)
    return tuple(found)


def check_names(method: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise for the first name that is not an option of the method, and suggest the nearest."""
    names = list(known)
    for name in given:
        if name not in names:
            guess = did_you_mean(name, names)
            listed = f"Its options are {', '.join(names)}." if names else "It has none."
            raise TypeError(f"{method} has no option {name!r}.{guess} {listed}")
