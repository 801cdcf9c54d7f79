"""Reports as one page that needs nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from hypcse.experiments.report.blocks import Block, Entry, Grid, Heading, Picture, Text

_MARKS = {"": "", "best": "b", "second": "u"}
_CODE = re.compile("`([^`]+)`")


def to_html(title: str, blocks: Sequence[Block]) -> str:
    """The blocks as a page, pictures inside it.

    Parameters
    ----------
    title
        Title of the page.
    blocks
        Of `build_report`.

    Returns
    -------
    str
        The whole page.

    Examples
    --------
    >>> to_html("Empty", []).startswith("<!doctype html>")
    True
    """
    body = "\n".join(_html(block) for block in blocks)
    return _PAGE.replace("{title}", escape(title)).replace("{body}", body)


def _html(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Text(text):
            return "<p>" + _CODE.sub(r"<code>\1</code>", escape(text)) + "</p>"
        case Picture(_, svg, caption):
            return f"<figure>{svg[svg.index('<svg') :]}<figcaption>{escape(caption)}</figcaption></figure>"
        case Grid(heads, rows):
            top = "".join(f"<th scope=col>{escape(head)}</th>" for head in heads)
            return f"<table><tr>{top}</tr>\n" + "\n".join(_row(row) for row in rows) + "\n</table>"


def _row(row: Sequence[Entry]) -> str:
    fields = "".join(f"<td>{_entry(entry)}</td>" for entry in row[1:])
    return f"<tr><th scope=row>{_entry(row[0])}</th>{fields}</tr>"


def _entry(entry: Entry) -> str:
    tag, text, after = _MARKS[entry.mark], escape(entry.text), escape(entry.after)
    return (f"<{tag}>{text}</{tag}>" if tag else text) + (f"<small>{after}</small>" if after else "")


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 130rem; padding: 0 1rem }
h2 { margin-top: 3rem }
p, figcaption { max-width: 45rem }
table { border-collapse: collapse; display: block; font-variant-numeric: tabular-nums; overflow-x: auto }
td, th { border-bottom: 1px solid #8884; padding: .25rem .7rem; text-align: right; white-space: nowrap }
th { font-weight: 500 }
th:first-child { background: Canvas; left: 0; max-width: 40vw; position: sticky; text-align: left; white-space: normal }
small { color: #888 }
figure { margin: 1.5rem 0 }
figure > svg { background: #fff; border-radius: 6px; height: auto; max-width: 100% }
figcaption { color: #888; font-size: 90% }
</style>
{body}
</html>
"""
