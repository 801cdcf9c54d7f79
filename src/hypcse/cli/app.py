"""The subcommands: their options and texts. What runs them is loaded when it is called, so that --help is fast."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from hypcse._choices import Effort, Preset, RankBy, SelfLoops, list_suffixes
from hypcse.cli import options
from hypcse.cli.options import COLUMNS, GRAPH, File, Flag, Text, Texts, Whole, argument, option
from hypcse.cli.output import Passed


class Commands(TyperGroup):
    """The commands. Ctrl-C and end of input, which typer would handle itself, are passed on to `main`."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, EOFError) as error:
            raise Passed(error) from error


app = typer.Typer(
    name="hypcse",
    cls=Commands,
    help="Hierarchical clustering by structural entropy.",
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(value: bool) -> None:
    if value:
        from hypcse import __version__

        typer.echo(f"hypcse {__version__}")
        raise typer.Exit


@app.callback()
def main_options(
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the code an error was raised.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Hierarchical clustering by structural entropy."""


_command = partial(options.command, app)
_TREE = argument(Path, "The tree: Newick (.nwk), JSON, a linkage matrix (.npy), or a folder of `hypcse fit`.")
_FOLDER = argument(Path, "A folder that `hypcse fit` wrote from a table.")
_NEW_ROWS = argument(Path, "New rows, in a file with the columns that were clustered.")
_OVERWRITE = option(bool, False, "Replace what is written, if it exists.", "--overwrite")
_SEED = option(int, 0, "Seed of everything random.", min=0)

_command(
    "demo",
    "compare.run_demo",
    """Compare several methods on a built-in data set, and write their trees and the page of the best.

    Example: `hypcse demo`
    """,
    data=option(str, "optical-digits", "Name of a data set; see `hypcse datasets`."),
    out=option(Path, Path("demo"), "Folder of the results."),
)

_command(
    "fit",
    "fit.run_fit",
    """Cluster a table: from a file to a folder with the tree, clusters at several levels, and scores.

    The folder holds `tree.nwk`, `linkage.npy`, `labels.csv`, `clusters.csv` (the table with its clusters),
    `scores.json`, the page `tree.html`, the fitted `model` and, if the method makes one, `embedding.npy`. It is written
    completely or not at all.
    The command prints what it did with each column: ids, dates, texts, gaps and constants need no option. Known classes
    (`--label-column`) are no feature; they are used to score the tree.
    `--set` takes the options that `hypcse methods` lists. A value is a number, true, false, none, or text.
    With `--cluster` there is no `model`, and the page of a large tree shows its top. `--set` then takes linkage,
    metric, algorithm, n_probes, shard_rows and memory_limit.

    Example: `hypcse fit iris --out iris-tree --method hdbscan --set min_samples=3`
    """,
    data=argument(str, f"The points: a file ({list_suffixes()}), or a data set's name."),
    out=option(File, None, "Folder to write. By default: here, by the name of the data, ending in -tree."),
    method=option(str, "entropy", "Method to use. See `hypcse methods`."),
    settings=option(
        Texts, None, "An option of the method, such as n_init=20. Repeatable.", "--set", metavar="NAME=VALUE"
    ),
    refine=option(
        Flag,
        None,
        "Lower the tree's entropy afterwards. On by default; a preset may turn it off.",
        "--refine/--no-refine",
    ),
    effort=option(Effort, "fast", "How hard to refine."),
    clusters=option(Whole, None, "Number of flat clusters. By default: as many as the main level has.", min=1),
    columns=COLUMNS,
    graph=GRAPH,
    stability=option(
        Flag,
        None,
        "Measure how well each level is found again on part of the edges. By default: up to 20,000 points and 500,000 "
        "edges.",
        "--stability/--no-stability",
    ),
    preset=option(Preset | None, None, "Short for --set preset=... (method hypcse)."),
    epochs=option(Whole, None, "Short for --set n_epochs=... (methods that train).", min=0),
    device=option(Text, None, "Short for --set device=...: auto, cpu or cuda (method hypcse)."),
    cluster=option(
        Text,
        None,
        "Work on a Dask cluster: `tcp://host:8786`, or `local` for workers on this machine. Reads .parquet and .npy "
        "files in blocks, others whole; the place of --out must be visible to all workers.",
        metavar="ADDRESS",
    ),
    seed=_SEED,
    resume=option(bool, False, "Continue a training run, or a run on a cluster, that was stopped.", "--resume"),
    overwrite=_OVERWRITE,
)

_command(
    "describe",
    "saved.run_describe",
    """Say what each cluster is: a name, its size, and typical values of the columns that tell it from all others.

    Example: `hypcse describe cars-tree`
    """,
    folder=_FOLDER,
    level=option(Whole, None, "Describe this level, from 1 (coarse). By default: the clusters.", min=1),
    columns=option(int, 4, "How many columns are shown: those that tell most.", min=0),
    out=option(File, None, "Write the description to this .csv instead of printing it."),
    overwrite=_OVERWRITE,
)

_command(
    "predict",
    "saved.run_predict",
    """Find the clusters of new rows: the new table with a column `cluster`. The tree stays as it is.

    Example: `hypcse predict cars-tree new-cars.csv`
    """,
    folder=argument(Path, "A folder that `hypcse fit` wrote, or a saved model."),
    data=_NEW_ROWS,
    out=option(File, None, "The .csv to write. By default: beside the data, ending in -clusters.csv."),
    columns=COLUMNS,
    overwrite=_OVERWRITE,
)

_command(
    "update",
    "saved.run_update",
    """Add new rows to a tree without a new fit, and write it to another folder. Clusters keep their numbers.

    The page of the new folder sets the clusters beside those before the update.

    Example: `hypcse update cars-tree new-cars.csv --out cars-tree-2`
    """,
    folder=_FOLDER,
    data=_NEW_ROWS,
    out=option(Path, ..., "Folder to write; it must not exist yet."),
    columns=COLUMNS,
    overwrite=option(bool, False, "Replace the folder if it exists.", "--overwrite"),
)

_command(
    "score",
    "score.run_score",
    """Score a tree on the similarity graph of its points, as the paper's tables were scored.

    Example: `hypcse score tree.nwk --data iris`
    """,
    tree=_TREE,
    data=option(str, ..., "The points: a file or a data set's name, as for `hypcse fit`."),
    labels=option(File, None, "True classes: .npy, or text with one label per line. Optional."),
    columns=COLUMNS,
    graph=GRAPH,
    self_loops=option(SelfLoops, "paper", "How self-loops count in the entropy."),
    json=option(bool, False, "Print one JSON object instead of a table.", "--json"),
)

_command(
    "compare",
    "compare.run_compare",
    """Run methods on your points, rank their trees, and keep the trees.

    Writes a table (`compare.html`, `compare.md`, `compare.csv`) and a tree per method (`ward.nwk`, ...), which
    `hypcse view` shows. With classes (`--label-column`) there are purity, ARI and NMI too. A method that fails is
    listed as failed; where all fail, the exit code is 1.

    Example: `hypcse compare iris --out iris-methods --method ward --method graph-average`
    """,
    data=argument(str, "The points: a file or a data set's name, as for `hypcse fit`."),
    out=option(Path, ..., "Folder of the results; a comparison that was stopped goes on there."),
    method=option(Texts, None, "Only this method; repeat it. By default: all."),
    rank_by=option(RankBy, "entropy", "What to rank by. purity, ari and nmi need classes; cost is Dasgupta's."),
    pages=option(bool, False, "Also write a page per tree: ward.html, ...", "--pages"),
    columns=COLUMNS,
    seed=_SEED,
    jobs=option(int, 1, "Methods at a time, each in a process of its own.", min=1),
)

_command(
    "reproduce",
    "reproduce.run_reproduce",
    """Run a table or figure of the paper and report it beside the paper's numbers, as Markdown and as a page.

    An experiment consists of tasks: one method on one data set with one seed. The folder keeps the result of every
    finished task, so a second call continues where the first stopped, and experiments share tasks.

    Example: `hypcse reproduce paper-row --data iris --quick`
    """,
    name=argument(
        str,
        "What to reproduce: table1 (with Table 5), table2, table3, table4, paper-row, few-labels, control, tau, eta1, "
        "k, t1, t2, disks, growth; or `all`.",
    ),
    out=option(Path, Path("results"), "Folder for the results; a stopped run continues there."),
    data=option(Texts, None, "Run only this data set. Repeatable. By default: all."),
    seeds=option(Whole, None, "Seeds per random method. By default: 1 to 5.", min=1),
    jobs=option(int, 1, "How many tasks to run at a time, each in its own process.", min=1),
    quick=option(bool, False, "A trial run: two epochs; two data sets and one seed unless you give these.", "--quick"),
    report_only=option(bool, False, "Run nothing; report the results already in the folder.", "--report-only"),
)

_command(
    "view",
    "view.run_view",
    """Write a page that shows any tree, and open it: a disk to pan and zoom, a dendrogram, clusters, search, exports.

    The page is one file and works offline. With `--data` it also shows what the similarity graph and the columns say
    about each node, its dendrogram shows how far apart the joined parts are, and beside it is a heat map of the
    columns. Names of nodes in the tree's file are shown too.

    Example: `hypcse view tree.nwk --no-open`
    """,
    source=_TREE,
    out=option(File, None, "The page to write. By default: beside the tree, ending in .html."),
    labels=option(
        File, None, "Classes: a .csv with name and class per row, text with one class per line, .npy. Optional."
    ),
    data=option(Text, None, "The points behind the tree: a file or a data set's name. Optional."),
    columns=COLUMNS,
    graph=GRAPH,
    clusters=option(Whole, None, "Number of clusters shown at first. By default: the automatic cut.", min=1),
    compare=option(
        list[Path] | None, None, "Other labels to set beside the tree, in a file as for --labels. Repeat it for more."
    ),
    node_names=option(File, None, "Names of nodes: a .csv with a node and a name per row, or JSON. Optional."),
    title=option(Text, None, "Heading of the page. By default: the name of the data."),
    open_page=option(bool, True, "Show the page in the browser.", "--open/--no-open"),
    overwrite=option(bool, False, "Replace a file that hypcse did not write.", "--overwrite"),
)

_command(
    "methods",
    "output.list_methods",
    """List the methods: their input, the memory they need, and their options for `hypcse fit --set`.

    Example: `hypcse methods`
    """,
)

_command(
    "datasets",
    "output.list_datasets",
    """List the data sets: their sizes and notes.

    Example: `hypcse datasets`
    """,
)
