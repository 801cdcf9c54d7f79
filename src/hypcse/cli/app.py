"""The subcommands. Heavy imports happen inside them, so that --help answers at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="hypcse",
    help="Hierarchical clustering by structural entropy.",
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from hypcse import __version__

        typer.echo(f"hypcse {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Hierarchical clustering by structural entropy."""


@app.command()
def demo(
    data: Annotated[str, typer.Option(help="Name of a data set; see `hypcse datasets`.")] = "optical-digits",
    out: Annotated[Path, typer.Option(help="Folder to write the best tree to.")] = Path("demo"),
) -> None:
    """Cluster a built-in data set with several methods, score them, and write the best tree.

    Example: `hypcse demo`
    """
    from hypcse.cli.demo import run_demo

    run_demo(data, out)


@app.command()
def score(
    tree: Annotated[Path, typer.Argument(help="The tree: Newick (.nwk), JSON (.json) or a linkage matrix (.npy).")],
    data: Annotated[str, typer.Option(help="The points: a file (.csv, .tsv, .npy, .npz) or a data set's name.")],
    labels: Annotated[
        Path | None, typer.Option(help="True classes: .npy, or text with one label a line. Optional.")
    ] = None,
    label_column: Annotated[
        str | None, typer.Option(help="Column of the data that holds the classes: its name, or its position from 1.")
    ] = None,
    id_column: Annotated[
        str | None, typer.Option(help="Column of the data that holds the leaf names: its name, or its position from 1.")
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether row 1 names the columns. By default: if it has no number."),
    ] = None,
    neighbors: Annotated[int, typer.Option(min=1, help="Neighbours of each point in the graph.")] = 10,
    bandwidth: Annotated[str, typer.Option(help="Width of the similarity: a number, or `median`.")] = "1.0",
    scale: Annotated[str, typer.Option(help="Scaling of the columns: minmax, standard or none.")] = "minmax",
    self_loops: Annotated[str, typer.Option(help="Loops in the entropy: paper, exact or drop.")] = "paper",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Score a tree on the similarity graph of its points, as the paper's tables were scored.

    Example: `hypcse score tree.nwk --data iris`
    """
    from hypcse.cli.score import run_score
    from hypcse.cli.tables import Columns

    graph_options = {"n_neighbors": neighbors, "bandwidth": bandwidth, "scale": scale}
    columns = Columns(label_column, id_column, header)
    run_score(tree, data, labels, columns, graph_options, self_loops=self_loops, as_json=json)


@app.command()
def methods() -> None:
    """List the methods: what they take and what memory they need.

    Example: `hypcse methods`
    """
    from hypcse.cli.listing import list_methods

    list_methods()


@app.command()
def datasets() -> None:
    """List the data sets: their sizes and notes.

    Example: `hypcse datasets`
    """
    from hypcse.cli.listing import list_datasets

    list_datasets()
