"""The joiner of JavaScript modules: its order, what it refuses, and the modules of the page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse.show.page import bundle
from hypcse.show.page.bundle import join_modules, order_modules, read_module

ASSETS = Path(str(files(bundle.__package__).joinpath("assets")))
FOLDERS = ("tree", "draw", "side", "page")
"""From the lowest: a module imports from its own folder and those before it."""


def reader(texts):
    """Read modules from a dictionary, as `join_modules` wants it."""

    def read(name):
        if name not in texts:
            raise FileNotFoundError(name)
        return texts[name]

    return read


def read_asset(name):
    return (ASSETS / name).read_text(encoding="utf-8")


def page_modules():
    return order_modules(bundle.PROGRAM, read_asset)


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
    script = join_modules(f"m{entry}.js", reader(texts))
    places = {int(k): at for at, k in enumerate(re.findall(r"^const value(\d+)", script, re.MULTILINE))}
    assert "import" not in script and "export" not in script
    reached, todo = {entry}, [entry]
    while todo:
        found = needs[todo.pop()] - reached
        reached |= found
        todo += found
    assert set(places) == reached
    assert all(places[i] < places[k] for k in reached for i in needs[k])


def test_folders_long_imports_and_constants():
    texts = {
        "page/main.js": 'import {\n  one,\n  two,\n} from "../draw/a.js";\nalert(one, two);\n',
        "draw/a.js": "// A comment.\n\nexport function one() {}\nexport class two {}\nconst kept = LOOKS;\n",
    }
    script = join_modules("page/main.js", reader(texts), {"LOOKS": {"light": "</b>"}})
    assert script.startswith('(() => {\n"use strict";\nconst LOOKS = {"light": "</b>"};\n// A comment.\n')
    assert script.endswith("const kept = LOOKS;\nalert(one, two);\n})();\n")


@pytest.mark.parametrize(
    "line",
    [
        'import one from "./a.js";',
        'import * as a from "./a.js";',
        'import "./a.js";',
        'import { one as two } from "./a.js";',
        "import { one } from './a.js';",
        'import { one } from "a.js";',
        'import { one } from "./a.js"; alert(one);',
        ' import { one } from "./a.js";',
        'const a = await import("./a.js");',
        "alert(import.meta.url);",
        "export default 1;",
        "export { one };",
        'export * from "./a.js";',
        "export let one = 1;",
        "export async function one() {}",
        "  export const one = 1;",
        "export const { one } = a;",
        "const [one] = a;",
    ],
)
def test_what_is_not_of_the_subset_is_named(line):
    with pytest.raises(ValueError, match=r"^page/main\.js:3: ") as caught:
        read_module("page/main.js", f"// First.\n\n{line}\n")
    assert "is not of the subset" in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "error"),
    [
        ({"a.js": '\nimport { b } from "./b.js";\n'}, r"^a\.js:2: there is no module b\.js"),
        ({"a.js": 'import { c } from "./b.js";\n', "b.js": "const c = 1;\n"}, r"^a\.js:1: b\.js does not export c"),
        (
            {
                "a.js": 'import { b } from "./b.js";\nexport const a = 1;\n',
                "b.js": 'import { c } from "./c.js";\nexport const b = 1;\n',
                "c.js": 'import { b } from "./b.js";\nexport const c = 1;\n',
            },
            r"^c\.js:1: .* b\.js -> c\.js -> b\.js\.",
        ),
        ({"a.js": 'import { a } from "./a.js";\nexport const a = 1;\n'}, r"a\.js -> a\.js"),
        (
            {"a.js": 'import { b } from "./b.js";\n\nconst c = 1;\n', "b.js": "export const b = 1;\nconst c = 2;\n"},
            r"^a\.js:3: c is declared in b\.js:2 too",
        ),
        ({"a.js": "const b = 1;\nfunction b() {}\n"}, r"^a\.js:2: b is declared at line 1 already"),
        ({"a.js": "class GIVEN {}\n"}, r"^a\.js:1: GIVEN is declared in the constants"),
        ({}, "there is no module a.js"),
    ],
)
def test_what_does_not_fit_together_is_named(texts, error):
    with pytest.raises(ValueError, match=error):
        join_modules("a.js", reader(texts), {"GIVEN": 1})


def test_the_page_needs_every_module():
    assert set(page_modules()) == {path.relative_to(ASSETS).as_posix() for path in ASSETS.rglob("*.js")}


def test_modules_of_the_page_import_from_folders_below():
    for module in page_modules().values():
        for _, source, line in module.imports:
            own, other = (FOLDERS.index(name.split("/")[0]) for name in (module.name, source))
            assert other <= own, f"{module.name}:{line} imports {source}"


def test_every_export_of_the_page_is_used():
    modules = page_modules()
    used = {(source, part) for module in modules.values() for part, source, _ in module.imports}
    assert {(module.name, part) for module in modules.values() for part in module.exported} == used


def test_the_script_of_the_page_is_one_that_node_reads(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: the syntax of the script is checked in the browser alone")
    script = join_modules(bundle.PROGRAM, read_asset, {"CLASS_COLOURS": {}})
    assert "</script" not in script and "<!--" not in script
    path = tmp_path / "script.cjs"
    path.write_text(script, encoding="utf-8")
    done = subprocess.run([node, "--check", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_ids_that_the_page_asks_for_are_there():
    """A misspelt one would stop the page when it starts."""
    markup = (ASSETS / "page.html").read_text(encoding="utf-8")
    there = set(re.findall(r'\bid="([\w-]+)"', markup))
    asked = {name for module in page_modules().values() for name in re.findall(r'byId\("([\w-]+)"', module.body)}
    assert asked and asked <= there


def test_the_typed_payload_is_the_one_that_python_writes():
    """The properties of RawPage in payload.js are the keys of the document."""
    from hypcse import Tree
    from hypcse.show.page.payload import to_json
    from pages import gathered

    text = (ASSETS / "tree/payload.js").read_text(encoding="utf-8")
    block = text[text.index("@typedef {object} RawPage") : text.index("*/", text.index("@typedef {object} RawPage"))]
    assert re.findall(r"@property \{.*\} (\w+)", block) == list(
        json.loads(to_json(gathered(Tree.from_newick("(a:1,b:1);"))))
    )
