"""Files and folders are whole at their place or not there, and nothing of others is ever deleted."""

from __future__ import annotations

import errno
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hypcse import HypcseWarning
from hypcse.storage import files as holding
from hypcse.storage.files import (
    check_file,
    check_folder,
    check_place,
    hold_folder,
    remove_leftovers,
    write_file,
    write_folder,
)

OLD, NEW = {"a": b"old", "inner/b": b"old"}, {"a": b"new", "inner/b": b"new"}
LEFT = ".found.part-0123abcd"


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "found"


def test_a_folder_is_new_or_replaced(out: Path) -> None:
    assert write_folder(out, OLD) == out and content(out) == OLD
    assert write_folder(out, NEW, overwrite=True) == out and content(out) == NEW
    assert write_folder(out, {"c": b"less"}, overwrite=True, owned=NEW) == out and content(out) == {"c": b"less"}
    assert names(out.parent) == ["found"]
    mask = os.umask(0)
    os.umask(mask)
    assert out.stat().st_mode & 0o777 == 0o777 & ~mask


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_came_meanwhile_is_kept(out: Path, overwrite: bool) -> None:
    check_place(out, overwrite, OLD)
    write_folder(out, {**OLD, "inner/notes.txt": b"mine"})
    for number in (2, 3):
        with pytest.warns(HypcseWarning, match=f"found appeared meanwhile.*found-{number}"):
            assert write_folder(out, NEW, overwrite) == out.with_name(f"found-{number}")
        assert content(out.with_name(f"found-{number}")) == NEW
    assert content(out) == {**OLD, "inner/notes.txt": b"mine"}
    assert names(out.parent) == ["found", "found-2", "found-3"]


@pytest.mark.parametrize("there", ["file", "link", "empty folder"])
def test_other_things_at_the_place(out: Path, there: str) -> None:
    if there == "file":
        out.write_bytes(b"mine")
    elif there == "link":
        out.symlink_to(out.parent)
    else:
        out.mkdir()
    for overwrite in (False, True) if there != "empty folder" else (False,):
        with pytest.warns(HypcseWarning, match="appeared meanwhile"):
            write_folder(out, NEW, overwrite)
    with pytest.raises(FileExistsError, match="exists already" if there == "empty folder" else "is a file or a link"):
        check_place(out, False, NEW)


def test_the_second_rename_fails_and_the_old_folder_comes_back(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(out, OLD)
    real, calls = os.rename, []

    def second_fails(source: str, target: str) -> None:
        calls.append(source)
        if len(calls) == 2:
            raise OSError("disk full")
        real(source, target)

    monkeypatch.setattr("os.rename", second_fails)
    with pytest.raises(OSError, match="disk full"):
        write_folder(out, NEW, overwrite=True)
    assert content(out) == OLD and names(out.parent) == ["found"]


def test_places_that_are_refused_before_the_work(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_place(out, False, OLD)
    assert names(out.parent) == []
    with pytest.raises(FileNotFoundError, match="is not a folder. Create it first"):
        check_place(out / "deep" / "er", False, OLD)
    write_folder(out, {**OLD, "inner/notes.txt": b"mine"})
    with pytest.raises(FileExistsError, match="exists already.*overwrite=True"):
        check_place(out, False, OLD)
    with pytest.raises(FileExistsError, match=r"holds inner/notes.txt, which hypcse did not write"):
        check_place(out, True, OLD)
    (out / "inner" / "notes.txt").unlink()
    with monkeypatch.context() as patch:
        patch.chdir(out)
        with pytest.raises(FileExistsError, match="the folder you are in"):
            check_place(Path(), True, OLD)
    check_place(out, True, OLD)

    def refuses(*words: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuses)
    with pytest.raises(PermissionError, match=r"cannot write to .*\(Permission denied\). Choose another"):
        check_place(out.with_name("other"), False, OLD)


def test_a_file_is_new_or_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / ("é" * 120 + ".txt")
    write_file(path, "first \ud800")
    assert path.read_bytes() == b"first ?"
    (tmp_path / "link").symlink_to(path.name)
    write_file(tmp_path / "link", b"second")
    assert path.read_bytes() == b"second" and (tmp_path / "link").is_symlink()
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask

    def fails(*words: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fails)
    with pytest.raises(OSError, match="disk full"):
        write_file(path, b"third")
    assert path.read_bytes() == b"second" and names(tmp_path) == sorted(["link", path.name])
    with pytest.raises(FileNotFoundError, match="is not a folder. Create it first"):
        write_file(tmp_path / "no" / "file", b"")


def test_what_a_killed_writer_left_is_removed_and_what_is_written_is_not(out: Path) -> None:
    """A draft is a leftover after a day."""
    old, new = (out.with_name(f".found.part-0123abc{k}") for k in (0, 1))
    for draft in (old, new):
        draft.mkdir()
        (draft / "half").write_text("half")
    yesterday = time.time() - 90_000
    os.utime(old, (yesterday, yesterday))
    write_folder(out, NEW)
    assert names(out.parent) == [new.name, "found"] and content(new) == {"half": b"half"}


def test_only_leftovers_are_removed(tmp_path: Path) -> None:
    for name in (LEFT, ".found.part-0123abcX", ".found.part-0123abcd0", "found.part-0123abcd", ".found.old-0123abcd"):
        (tmp_path / name).mkdir()
    (tmp_path / ".found.part-0123abce").write_bytes(b"half a file")
    (tmp_path / ".found.part-0123abcf").symlink_to(tmp_path)
    (tmp_path / ".other.part-0123abcd").mkdir()
    before = set(names(tmp_path))
    remove_leftovers(tmp_path, "found")
    assert before - set(names(tmp_path)) == {LEFT, ".found.part-0123abce"}
    remove_leftovers(tmp_path, "*")
    assert ".other.part-0123abcd" not in names(tmp_path)


def elsewhere(work: Callable[[], None]) -> None:
    """Do something as other work does: in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


def test_one_holds_a_folder(tmp_path: Path) -> None:
    """It is made if it is missing; who holds it may do so again where that is meant, and others when it is free.

    They are told who holds it.
    """
    folder = tmp_path / "deep" / "er"

    def hold(again: bool = True) -> None:
        with hold_folder(folder, again):
            pass

    with hold_folder(folder):
        hold()
        with pytest.raises(ValueError, match="another run writes into"):
            hold(again=False)
        holder = rf"\(process {os.getpid()} on {re.escape(socket.gethostname())}, since 20.* UTC\)"
        with pytest.raises(ValueError, match=f"another run writes into .* {holder}. Wait"):
            elsewhere(hold)
    elsewhere(hold)
    assert not names(folder)


def test_a_killed_holder_holds_no_more(tmp_path: Path) -> None:
    """Although its name is still there."""
    code = (
        "import pathlib, sys\nfrom hypcse.storage.files import hold_folder\n"
        "with hold_folder(pathlib.Path(sys.argv[1])):\n"
        "    print(1, flush=True)\n"
        "    input()"
    )
    words = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"1\n"
        with pytest.raises(ValueError, match=rf"\(process {holder.pid} on "), hold_folder(tmp_path):
            pass
        holder.kill()
    assert f"process {holder.pid} " in (tmp_path / holding.HOLDER).read_text()
    with hold_folder(tmp_path):
        assert f"process {os.getpid()} " in (tmp_path / holding.HOLDER).read_text()
    assert not names(tmp_path)


def test_places_of_files_and_folders_are_tried_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    for fine in (tmp_path, tmp_path / "new", tmp_path / "new" / "deep"):
        check_folder(fine)
    check_file(tmp_path / "file")
    check_file(tmp_path / "new.txt")
    assert names(tmp_path) == ["file", "nowhere"]
    for wrong in ("file", "file/deep", "nowhere"):
        with pytest.raises(NotADirectoryError, match="is not a folder, and a folder is needed there. Choose another"):
            check_folder(tmp_path / wrong)
    with pytest.raises(IsADirectoryError, match="is a folder, but a file is needed"):
        check_file(tmp_path)
    with pytest.raises(FileNotFoundError, match="is not a folder. Create it first"):
        check_file(tmp_path / "no" / "file")

    def refuse(*words: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr(Path, "touch", refuse)
    for check in (check_file, check_folder):
        expected = rf"cannot write to {tmp_path}, where new would go \(Permission denied\). Choose"
        with pytest.raises(PermissionError, match=expected):
            check(tmp_path / "new")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PermissionError, match=rf"cannot write to {tmp_path} \(Permission denied\). Choose"):
        check_folder(Path())


def test_a_disk_that_is_full_names_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's own error has no name: it comes from a write."""

    def fail(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"No space left on device: .*out/a\.txt"):
        write_folder(tmp_path / "out", {"a.txt": b"1"})
    with pytest.raises(OSError, match=r"No space left on device: .*b\.txt"):
        write_file(tmp_path / "b.txt", "1")
    assert list(tmp_path.iterdir()) == []
