"""The text of a page: one file of HTML with the tree, its looks and its program inside."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from hypcse.show.colors import DARK, LIGHT
from hypcse.show.page.contents import Shown
from hypcse.show.page.payload import to_json

PROGRAM = "page/main.js"
GENERATOR = "hypcse page"
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def render(shown: Shown) -> str:
    """The text of the page. Its policy lets nothing run but this style and this script, by their hashes."""
    style = _asset("style.css")
    script = join_modules(PROGRAM, _asset, {"CLASS_COLOURS": {"light": LIGHT, "dark": DARK}})
    parts = {
        "policy": _policy(style, script),
        "generator": GENERATOR,
        "title": html.escape(shown.title),
        "style": style,
        "script": script,
        "data": to_json(shown),
    }
    # One pass: what is put in is not looked at again, whatever it holds.
    text = _PLACE.sub(lambda place: parts[place[1]], _asset("page.html"))
    # Half of a surrogate pair is legal in a name but not in UTF-8: it becomes a question mark.
    return text.encode("utf-8", "replace").decode("utf-8")


def _asset(name: str) -> str:
    return files("hypcse.show.page").joinpath("assets", *name.split("/")).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Content security policy: nothing from anywhere, and inside only these two texts."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


_IMPORT = re.compile(r'import \{\s*([\w$]+(?:,\s*[\w$]+)*),?\s*\} from "(\.\.?/[\w./-]+\.js)";\n')
_DECLARATION = re.compile(r"(export )?(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)")
# Lines that the two above must understand: what stands at the top of a module begins at the left edge.
_STATEMENT = re.compile(
    r"^(?:[ \t]*(?:import|export)\b|(?:async|function|class|const|let|var)\b)|\bimport(?:[ \t]*\(|\.meta\b)",
    re.MULTILINE,
)
# Types and descriptions of what follows, which the page does without: a block that has its lines to itself.
_DESCRIPTION = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
_EXPORTABLE = re.compile(r"export (?:function|const|class) ")


@dataclass(frozen=True)
class Module:
    """One file: what it takes from which others, the names that it declares, which of them it exports, and the rest."""

    name: str
    imports: tuple[tuple[str, str, int], ...]  # A name, the file it comes from, and the line that says so.
    declared: Mapping[str, int]  # The line of each name.
    exported: frozenset[str]
    body: str


def join_modules(entry: str, read: Callable[[str], str], constants: Mapping[str, Any] | None = None) -> str:
    """One script in one scope of its own: the constants as JSON, then every module after those that it imports.

    `read` gives the text of a module by its name, relative to the folder of all of them ("page/main.js"), and raises
    `FileNotFoundError` where there is none. Raises `ValueError` for what the subset lacks, an import of what is not
    exported, modules that import each other in a circle, and a name that is declared twice. Blocks of `/** */` that
    have their lines to themselves are left out.

    >>> texts = {"main.js": 'import { two } from "./two.js";\\nalert(two);\\n', "two.js": "export const two = 2;\\n"}
    >>> print(join_modules("main.js", texts.__getitem__), end="")
    (() => {
    "use strict";
    const two = 2;
    alert(two);
    })();
    """
    constants = constants or {}
    modules = order_modules(entry, read)
    _check_imports(modules)
    _check_names(modules, constants)
    values = [f"const {name} = {json.dumps(value)};" for name, value in constants.items()]
    bodies = [_DESCRIPTION.sub("", module.body).strip("\n") for module in modules.values()]
    return "\n".join(["(() => {", '"use strict";', *values, *bodies, "})();\n"])


def order_modules(entry: str, read: Callable[[str], str]) -> dict[str, Module]:
    """All modules that `entry` needs, itself included, each after those that it imports."""
    ordered: dict[str, Module] = {}

    def visit(name: str, asked: tuple[str, ...], place: str) -> None:
        if name in ordered:
            return
        if name in asked:
            circle = " -> ".join([*asked[asked.index(name) :], name])
            raise ValueError(f"{place}: modules import each other in a circle, {circle}. Move what they share below.")
        try:
            module = read_module(name, read(name))
        except FileNotFoundError:
            raise ValueError(f"{place}: there is no module {name}.") from None
        for _, source, line in module.imports:
            visit(source, (*asked, name), f"{name}:{line}")
        ordered[name] = module

    visit(entry, (), entry)
    return ordered


def read_module(name: str, text: str) -> Module:
    """The module in a text; an error names the line that is not of the subset."""
    imports: list[tuple[str, str, int]] = []
    declared: dict[str, int] = {}
    exported, kept, end = set(), [], 0
    for start, line in _statements(text):
        taken, made = _IMPORT.match(text, start), _DECLARATION.match(text, start)
        if taken:
            source = posixpath.normpath(posixpath.join(posixpath.dirname(name), taken[2]))
            imports += [(part, source, line) for part in re.findall(r"[\w$]+", taken[1])]
            kept.append(text[end:start])
            end = taken.end()
        elif made and (not made[1] or _EXPORTABLE.match(text, start)):
            _declare(declared, made[2], name, line)
            if made[1]:
                exported.add(made[2])
                kept.append(text[end:start])
                end = made.end(1)
        else:
            raise ValueError(
                f"{name}:{line}: {text[start:].splitlines()[0]!r} is not of the subset that can be joined. Write it as "
                'import { a, b } from "./x.js"; or export before a function, const or class, or declare one name.'
            )
    return Module(name, tuple(imports), declared, frozenset(exported), "".join([*kept, text[end:]]))


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """Where each line stands that imports, exports or declares, and its number."""
    for found in _STATEMENT.finditer(text):
        yield found.start(), text.count("\n", 0, found.start()) + 1


def _declare(declared: dict[str, int], made: str, name: str, line: int) -> None:
    if made in declared:
        raise ValueError(f"{name}:{line}: {made} is declared at line {declared[made]} already. Rename one of them.")
    declared[made] = line


def _check_imports(modules: Mapping[str, Module]) -> None:
    """Every imported name is exported where it is said to come from."""
    for module in modules.values():
        for part, source, line in module.imports:
            if part not in modules[source].exported:
                raise ValueError(f"{module.name}:{line}: {source} does not export {part}.")


def _check_names(modules: Mapping[str, Module], constants: Mapping[str, Any]) -> None:
    """All modules share one scope, so that a name may be declared once over all of them."""
    homes = dict.fromkeys(constants, "the constants of the page")
    for module in modules.values():
        for made, line in module.declared.items():
            if made in homes:
                raise ValueError(f"{module.name}:{line}: {made} is declared in {homes[made]} too. Rename one of them.")
            homes[made] = f"{module.name}:{line}"
