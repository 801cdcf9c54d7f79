"""The course of training as curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypcse.show.colors import INK, OKABE_ITO
from hypcse.show.plot.axes import axes_or_new, name_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def history(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the terms of the loss, Eq. (17), and the entropy of the decoded tree by epoch.

    Parameters
    ----------
    model
        A fitted `HypCSE`, or any model with such a `history_`.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The axes.

    Examples
    --------
    >>> import hypcse
    >>> X, _ = hypcse.datasets.load("optical-digits")
    >>> model = hypcse.HypCSE(n_epochs=2).fit(X[:60])
    >>> len(history(model).lines) > 0
    True
    """
    steps, kind = getattr(model, "history_", None), type(model).__name__
    if not steps:
        raise ValueError(f"this {kind} has no history_ to draw. Call fit first, with n_epochs of at least 1.")
    ax = axes_or_new(ax, (6.4, 4.0))
    epochs = [step.epoch for step in steps]
    terms = {"total": "total", "structural entropy": "cse", "contrast": "contrast", "centroid": "centroid"}
    for style, color, (name, term) in zip(("-", "--", "-.", ":"), OKABE_ITO, terms.items(), strict=False):
        ax.plot(epochs, [getattr(step.losses, term) for step in steps], style, color=color, label=f"loss: {name}")
    measured = [(step.epoch, step.entropy) for step in steps if step.entropy is not None]
    if measured:
        mark = "o" if len(measured) <= 50 else ""
        ax.plot(*zip(*measured, strict=True), marker=mark, markersize=3.5, color=INK, label="entropy of the tree")
    ax.set(xlabel="epoch", ylabel="loss and entropy", ylim=(0, None))
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(colors=INK)
    name_beside(ax)
    return ax
