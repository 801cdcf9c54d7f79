"""What tests of the page ask of it: the data that it holds, and what it shows in a browser."""

from __future__ import annotations

import base64

import numpy as np

from hypcse.show.page.contents import Look, gather, known_points

KNOWN = ("graph", "labels", "features", "feature_names", "names")


def gathered(source, points=None, **options):
    """What a page holds of what `view` is given."""
    given = {name: options.pop(name, None) for name in KNOWN}
    return gather(source, known_points(source, points, given), Look(**options))


def unpack(packed):
    """The array that a page holds as base64."""
    return np.frombuffer(base64.b64decode(packed["data"]), dtype="<" + packed["kind"])


def told(page, what):
    return page.evaluate(f"window.hypcse.{what}")


def settle(page):
    """Wait until the motion has ended and all is drawn."""
    page.evaluate(
        """() => new Promise((done) => {
          const look = () => (window.hypcse.frames.moving ? setTimeout(look, 20) : requestAnimationFrame(
            () => requestAnimationFrame(done)));
          requestAnimationFrame(look);
        })"""
    )


def export(page, button):
    with page.expect_download() as download:
        page.click(button)
    return download.value.path().read_bytes()
