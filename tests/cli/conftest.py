"""The command within the process of the tests."""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace

import pytest

from hypcse.cli import main


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder within this process, which is faster: for the many ways to be wrong."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("HYPCSE_DATA", raising=False)
    # The command sets both for the whole process; this brings them back afterwards.
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)

    def run(*words: str) -> SimpleNamespace:
        monkeypatch.setattr(sys, "argv", ["hypcse", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return SimpleNamespace(returncode=ended.value.code or 0, stdout=said.out, stderr=said.err)

    return run
