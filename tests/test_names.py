"""No package exports anything under the name of one of its modules; a file format is one line of a table."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import hypcse
from hypcse._choices import FORMATS
from hypcse.points.reading import reader_for

PACKAGE = Path(hypcse.__file__).parent
DOCS = Path(__file__).parents[1] / "docs"


def shared_names(folder: Path) -> set[str]:
    """Modules of a package whose name its `__init__` imports out of a module."""
    package = ".".join(("hypcse", *folder.relative_to(PACKAGE).parts))
    modules = {path.stem for path in folder.glob("*.py")} | {path.name for path in folder.iterdir() if path.is_dir()}
    statements = ast.parse((folder / "__init__.py").read_text()).body
    # Those for type checkers alone are exports too, loaded on first use.
    statements += [inner for node in statements if isinstance(node, ast.If) for inner in node.body]
    imports = [node for node in statements if isinstance(node, ast.ImportFrom)]
    return {name.asname or name.name for node in imports if node.module != package for name in node.names} & modules


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("__init__.py")), ids=lambda p: str(p.parent.relative_to(PACKAGE)))
def test_no_module_shares_its_name_with_what_its_package_exports(path: Path) -> None:
    """Otherwise the function hides the module, and `import package.name` gives one or the other by chance."""
    folder = path.parent
    assert shared_names(folder) == set()


def test_every_format_has_its_reader_and_its_line_in_the_docs() -> None:
    told = (DOCS / "reading.md").read_text()
    for suffix in FORMATS:
        assert callable(reader_for(suffix))
        assert f"`{suffix}`" in told
