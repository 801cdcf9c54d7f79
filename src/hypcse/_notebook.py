"""How values display themselves in a notebook: the only link from the lower layers up to `hypcse.show`."""

from __future__ import annotations

import html
from typing import Any


class ShowsItself:
    """What a notebook displays: the value's text, and HTML with a picture."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        from hypcse.show.notebook import add_picture

        inherited = getattr(super(), "_repr_mimebundle_", None)
        if inherited is not None:
            return add_picture(self, inherited(include=include, exclude=exclude))
        text = repr(self)
        return add_picture(self, {"text/plain": text, "text/html": f"<pre>{html.escape(text)}</pre>"})
