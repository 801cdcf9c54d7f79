"""What is done to bytes, and texts that nobody should have to expect."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

from benchmarks.faults.attempt import Rng

HUGE = ("2000000000", "4294967297", "9223372036854775807", "18446744073709551616", "-1", "0", "1e400", "nan")
HEADS = (
    b"PK\x03\x04",
    b"\x93NUMPY\x01\x00",
    b"PAR1",
    b"\x89HDF\r\n\x1a\n",
    b"\x1f\x8b\x08",
    b"%%MatrixMarket ",
    b"a,b,c\n",
)
ODD_TEXTS = (
    "</script><script>window.broken = 1</script>",
    "<!--<script>",
    '<img src=x onerror="window.broken = 1">',
    "{{data}}",
    "{{script}}{body}{title}",
    "' onload='x' \"",
    "a,b;c\td\ne\r\nf",
    "=1+1",
    "@SUM(A1)",
    "\u202eright to left\u202c",
    "\u2028\u2029\x85",
    "\x00\x07\x1b[31m",
    "\ud800",
    "\udfff\ud83d",
    "漢字 🂡 ̈",
    "",
    " ",
    "x" * 5000,
    "(a,b);",
    "[x]['y']",
    "`code` **bold** | cell",
    "../../etc/passwd",
    "%s %n {0} $x",
    "__proto__",
    "constructor",
)
"""Names that are markup, controls, separators, templates, formulas, halves of characters, or very long."""


def flip(content: bytes, rng: Rng) -> bytes:
    """A few wrong bytes."""
    changed = bytearray(content)
    for place in rng.integers(max(len(content), 1), size=int(rng.integers(1, 6))):
        changed[place : place + 1] = rng.bytes(1)
    return bytes(changed)


def cut(content: bytes, rng: Rng) -> bytes:
    """The beginning alone."""
    return content[: int(rng.integers(len(content) + 1))]


def drop(content: bytes, rng: Rng) -> bytes:
    """Some bytes from the middle are gone."""
    begin = int(rng.integers(len(content) + 1))
    return content[:begin] + content[begin + int(rng.integers(1, 40)) :]


def put_nul(content: bytes, rng: Rng) -> bytes:
    """Bytes 0 where there were none."""
    place = int(rng.integers(len(content) + 1))
    return content[:place] + b"\0" * int(rng.integers(1, 20)) + content[place:]


def swap_head(content: bytes, rng: Rng) -> bytes:
    """The first bytes of another format."""
    head = HEADS[int(rng.integers(len(HEADS)))]
    return head + content[len(head) * int(rng.integers(2)) :]


def claim(content: bytes, rng: Rng) -> bytes:
    """A number, mostly of the first lines, where sizes stand, becomes an odd one."""
    places = [match.span() for match in re.finditer(rb"\d+", content[: 400 if rng.random() < 0.8 else None])]
    if not places:
        return flip(content, rng)
    begin, end = places[int(rng.integers(len(places)))]
    return content[:begin] + HUGE[int(rng.integers(len(HUGE)))].encode() + content[end:]


def repeat(content: bytes, rng: Rng) -> bytes:
    """A piece comes twice."""
    begin, end = sorted(int(k) for k in rng.integers(len(content) + 1, size=2))
    return content[:end] + content[begin:]


def encode(content: bytes, rng: Rng) -> bytes:
    """The text in another encoding."""
    name = str(rng.choice(["utf-16", "utf-32", "utf-16-be", "utf-7", "cp500", "utf-8-sig"]))
    return content.decode("latin-1").encode(name, "replace")


def empty(content: bytes, rng: Rng) -> bytes:
    """Nothing, or next to nothing."""
    return bytes(rng.choice([b"", b"\n", b"\0", b",", b"\xff\xfe"]))


def keep(content: bytes, rng: Rng) -> bytes:
    """As it was."""
    return content


MUTATIONS: tuple[Callable[[bytes, Rng], bytes], ...] = (
    flip, flip, cut, drop, put_nul, swap_head, claim, claim, repeat, encode, empty, keep,
)  # fmt: skip


def mutate(content: bytes, rng: Rng) -> tuple[bytes, str]:
    """Changed content, and in a word how; inside of an archive every other time, since its sums show all else."""
    change = MUTATIONS[int(rng.integers(len(MUTATIONS)))]
    if content[:2] == b"PK" and rng.random() < 0.5:
        return _change_member(content, change, rng), f"{change.__name__} inside"
    return change(content, rng), change.__name__


def _change_member(content: bytes, change: Callable[[bytes, Rng], bytes], rng: Rng) -> bytes:
    """The archive with one of its members changed, and its sums right."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        chosen = int(rng.integers(max(len(old.namelist()), 1)))
        for place, name in enumerate(old.namelist()):
            part = old.read(name)
            # Without a date, so that the same try makes the same bytes.
            new.writestr(zipfile.ZipInfo(name), change(part, rng) if place == chosen else part)
    return made.getvalue()


def odd_text(rng: Rng) -> str:
    """One of the odd texts, or a random one of any characters."""
    if rng.random() < 0.7:
        return ODD_TEXTS[int(rng.integers(len(ODD_TEXTS)))]
    highest = int(rng.choice([0x7F, 0xFF, 0xFFFF, 0x10FFFF]))
    signs = "".join(chr(int(k)) for k in rng.integers(highest + 1, size=int(rng.integers(1, 30))))
    # Two halves that fit together are one character to everybody but Python.
    return signs.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
