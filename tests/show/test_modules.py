"""The joiner of JavaScript modules: its order, and the modules of the page."""

from __future__ import annotations

import json
import posixpath
import re
import shutil
import subprocess
from collections import Counter
from graphlib import TopologicalSorter
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse.show.page import bundle
from hypcse.show.page.bundle import join_modules, read_asset

ASSETS = Path(str(files(bundle.__package__).joinpath("assets")))
FOLDERS = ("tree", "draw", "side", "page")
"""From the lowest: a module imports from its own folder and those before it."""


class Module(NamedTuple):
    """What a module imports, as pairs of a name and the module it comes from, and what it declares and exports."""

    imports: list[tuple[str, str]]
    declared: list[str]
    exported: list[str]


def read_module(name, text):
    """The module in a text, in the only form that can be joined."""
    imports, declared, exported = [], [], []
    for parts, source in re.findall(r'^import \{([^}]*)\} from "(\.\.?/[\w./-]+\.js)";$', text, re.MULTILINE):
        home = posixpath.normpath(posixpath.join(posixpath.dirname(name), source))
        imports += [(part, home) for part in re.findall(r"[\w$]+", parts)]
    for export, made in re.findall(
        r"^(export )?(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)", text, re.MULTILINE
    ):
        declared.append(made)
        exported += [made] * bool(export)
    assert len(re.findall(r"^import \{[^}]*\} from \"\./|^import \{[^}]*\} from \"\.\./", text, re.MULTILINE)) == len(
        re.findall(r"^[ \t]*import\b|import\(|import\.meta", text, re.MULTILINE)
    )
    assert not re.search(r"^[ \t]+export\b|^export (?!function |class |const )", text, re.MULTILINE)
    return Module(imports, declared, exported)


MODULES = {
    path.relative_to(ASSETS).as_posix(): read_module(path.relative_to(ASSETS).as_posix(), path.read_text("utf-8"))
    for path in ASSETS.rglob("*.js")
}


@given(st.data(), st.integers(1, 8))
def test_every_module_comes_after_those_that_it_imports(data, n):
    """Over random graphs without circles, whatever the names; what the entry does not need is left out."""
    order = data.draw(st.permutations(range(n)))
    needs = {k: data.draw(st.sets(st.sampled_from(order[:at]))) if at else set() for at, k in enumerate(order)}
    texts = {
        f"m{k}.js": "".join(f'import {{ value{i} }} from "./m{i}.js";\n' for i in needs[k])
        + f"export const value{k} = [{', '.join(f'value{i}' for i in needs[k])}];\n"
        for k in range(n)
    }
    entry = order[-1]
    script = join_modules(f"m{entry}.js", texts.__getitem__)
    places = {int(k): at for at, k in enumerate(re.findall(r"^const value(\d+)", script, re.MULTILINE))}
    assert "import" not in script and "export" not in script
    reached, todo = {entry}, [entry]
    while todo:
        found = needs[todo.pop()] - reached
        reached |= found
        todo += found
    assert set(places) == reached
    assert all(places[i] < places[k] for k in reached for i in needs[k])


def test_folders_and_long_imports():
    texts = {
        "page/main.js": 'import {\n  one,\n  two,\n} from "../draw/a.js";\nalert(one, two);\n',
        "draw/a.js": "// A comment.\n\nexport function one() {}\nexport class two {}\n",
    }
    script = join_modules("page/main.js", texts.__getitem__)
    assert script == "// A comment.\n\nfunction one() {}\nclass two {}\nalert(one, two);"


def test_every_name_is_declared_once():
    """All modules share one scope, in which a second function of one name would replace the first without a word."""
    declared = Counter(name for module in MODULES.values() for name in module.declared)
    assert max(declared.values()) == 1 and "CLASS_COLORS" not in declared


def test_every_import_is_exported_and_every_export_is_used():
    used = {(source, part) for module in MODULES.values() for part, source in module.imports}
    assert {(name, part) for name, module in MODULES.items() for part in module.exported} == used


def test_modules_import_from_folders_below_and_in_no_circle():
    above: dict[str, set[str]] = {}
    for name, module in MODULES.items():
        sources = {source for _, source in module.imports}
        for source in sources:
            own, other = (FOLDERS.index(one.split("/")[0]) for one in (name, source))
            assert other <= own, f"{name} imports {source}"
        above[name] = sources
    assert len(list(TopologicalSorter(above).static_order())) == len(MODULES)


def test_the_page_needs_every_module():
    reached, todo = {bundle.PROGRAM}, [bundle.PROGRAM]
    while todo:
        sources = {source for _, source in MODULES[todo.pop()].imports} - reached
        reached |= sources
        todo += sources
    assert reached == set(MODULES)


def test_the_script_of_the_page_is_one_that_node_reads(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: the syntax of the script is checked in the browser alone")
    script = join_modules(bundle.PROGRAM, read_asset)
    assert "</script" not in script and "<!--" not in script
    path = tmp_path / "script.cjs"
    path.write_text(script, encoding="utf-8")
    done = subprocess.run([node, "--check", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_ids_that_the_page_asks_for_are_there():
    """A misspelt one would stop the page when it starts."""
    markup = (ASSETS / "page.html").read_text(encoding="utf-8")
    there = set(re.findall(r'\bid="([\w-]+)"', markup))
    asked = set(re.findall(r'byId\("([\w-]+)"', "".join(map(read_asset, MODULES))))
    assert asked and asked <= there


def test_the_typed_payload_is_the_one_that_python_writes():
    """The properties of RawPage in payload.js are the keys of the document."""
    from hypcse import Tree
    from hypcse.show.page.bundle import to_json
    from pages import gathered

    text = (ASSETS / "tree/payload.js").read_text(encoding="utf-8")
    block = text[text.index("@typedef {object} RawPage") : text.index("*/", text.index("@typedef {object} RawPage"))]
    assert re.findall(r"@property \{.*\} (\w+)", block) == list(
        json.loads(to_json(gathered(Tree.from_newick("(a:1,b:1);"))))
    )
