"""The subcommands. Heavy imports happen inside them, so that --help is fast."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from hypcse._choices import Effort, Preset, RankBy, SelfLoops, list_suffixes
from hypcse.cli.options import with_shared
from hypcse.cli.output import Passed


class Commands(TyperGroup):
    """The commands. Ctrl-C and end of input, which typer would handle itself, are passed on to `main`."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, EOFError) as error:
            raise Passed(error) from error


_Tree = Annotated[
    Path, typer.Argument(help="The tree: Newick (.nwk), JSON, a linkage matrix (.npy), or a folder of `hypcse fit`.")
]
_Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is written, if it exists.")]
_Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random.")]

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
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the code an error was raised.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Hierarchical clustering by structural entropy."""


@app.command()
def demo(
    data: Annotated[str, typer.Option(help="Name of a data set; see `hypcse datasets`.")] = "optical-digits",
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("demo"),
) -> None:
    """Compare several methods on a built-in data set, and write their trees and the page of the best.

    Example: `hypcse demo`
    """
    from hypcse.cli.compare import run_demo

    run_demo(data, out)


@app.command()
@with_shared
def fit(
    data: Annotated[
        str,
        typer.Argument(help=f"The points: a file ({list_suffixes()}), or a data set's name."),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder to write. By default: here, by the name of the data, ending in -tree.")
    ] = None,
    method: Annotated[str, typer.Option(help="Method to use. See `hypcse methods`.")] = "entropy",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="An option of the method, such as n_init=20. Repeatable."),
    ] = None,
    refine: Annotated[
        bool | None,
        typer.Option(
            "--refine/--no-refine", help="Lower the tree's entropy afterwards. On by default; a preset may turn it off."
        ),
    ] = None,
    effort: Annotated[Effort, typer.Option(help="How hard to refine.")] = "fast",
    clusters: Annotated[
        int | None, typer.Option(min=1, help="Number of flat clusters. By default: as many as the main level has.")
    ] = None,
    columns: Any = None,
    graph: Any = None,
    stability: Annotated[
        bool | None,
        typer.Option(
            "--stability/--no-stability",
            help="Measure how well each level is found again on part of the edges. By default: up to 20,000 points "
            "and 500,000 edges.",
        ),
    ] = None,
    preset: Annotated[Preset | None, typer.Option(help="Short for --set preset=... (method hypcse).")] = None,
    epochs: Annotated[
        int | None, typer.Option(min=0, help="Short for --set n_epochs=... (methods that train).")
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Short for --set device=...: auto, cpu or cuda (method hypcse).")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Work on a Dask cluster: `tcp://host:8786`, or `local` for workers on this machine. Reads .parquet "
            "and .npy files in blocks; the place of --out must be visible to all workers.",
        ),
    ] = None,
    seed: _Seed = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a training run, or a run on a cluster, that was stopped.")
    ] = False,
    overwrite: _Overwrite = False,
) -> None:
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
    """
    from hypcse.cli.fit import Job, run_fit

    flags = {"preset": preset, "n_epochs": epochs, "device": device}
    flags = {name: value for name, value in flags.items() if value is not None}
    out = Path(f"{Path(data).name.partition('.')[0]}-tree") if out is None else out
    job = Job(method, clusters, refine, effort, seed, graph, settings or [], flags, resume, stability)
    if cluster is None:
        run_fit(data, out, columns, job, overwrite)
        return
    if cluster.isdecimal():
        raise ValueError(
            f"--cluster {cluster} is no address of a Dask cluster. For {cluster} clusters, pass --clusters {cluster}."
        )
    from hypcse.cli.cluster import run_on_cluster

    run_on_cluster(data, out, columns, job, overwrite, cluster)


@app.command()
def describe(
    folder: Annotated[Path, typer.Argument(help="A folder that `hypcse fit` wrote from a table.")],
    level: Annotated[
        int | None, typer.Option(min=1, help="Describe this level, from 1 (coarse). By default: the clusters.")
    ] = None,
    columns: Annotated[int, typer.Option(min=0, help="How many columns are shown: those that tell most.")] = 4,
    out: Annotated[Path | None, typer.Option(help="Write the description to this .csv instead of printing it.")] = None,
    overwrite: _Overwrite = False,
) -> None:
    """Say what each cluster is: a name, its size, and typical values of the columns that tell it from all others.

    Example: `hypcse describe cars-tree`
    """
    from hypcse.cli.tables import run_describe

    run_describe(folder, level, columns, out, overwrite)


@app.command()
@with_shared
def predict(
    folder: Annotated[Path, typer.Argument(help="A folder that `hypcse fit` wrote, or a saved model.")],
    data: Annotated[Path, typer.Argument(help="New rows, in a file with the columns that were clustered.")],
    out: Annotated[
        Path | None, typer.Option(help="The .csv to write. By default: beside the data, ending in -clusters.csv.")
    ] = None,
    columns: Any = None,
    overwrite: _Overwrite = False,
) -> None:
    """Find the clusters of new rows: the new table with a column `cluster`. The tree stays as it is.

    Example: `hypcse predict cars-tree new-cars.csv`
    """
    from hypcse.cli.tables import run_predict

    run_predict(folder, data, out, columns, overwrite)


@app.command()
@with_shared
def update(
    folder: Annotated[Path, typer.Argument(help="A folder that `hypcse fit` wrote from a table.")],
    data: Annotated[Path, typer.Argument(help="New rows, in a file with the columns that were clustered.")],
    out: Annotated[Path, typer.Option(help="Folder to write; it must not exist yet.")],
    columns: Any = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder if it exists.")] = False,
) -> None:
    """Add new rows to a tree without a new fit, and write it to another folder. Clusters keep their numbers.

    The page of the new folder sets the clusters beside those before the update.

    Example: `hypcse update cars-tree new-cars.csv --out cars-tree-2`
    """
    from hypcse.cli.update import run_update

    run_update(folder, data, out, columns, overwrite)


@app.command()
@with_shared
def score(
    tree: _Tree,
    data: Annotated[str, typer.Option(help="The points: a file or a data set's name, as for `hypcse fit`.")],
    labels: Annotated[
        Path | None, typer.Option(help="True classes: .npy, or text with one label per line. Optional.")
    ] = None,
    columns: Any = None,
    graph: Any = None,
    self_loops: Annotated[SelfLoops, typer.Option(help="How self-loops count in the entropy.")] = "paper",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Score a tree on the similarity graph of its points, as the paper's tables were scored.

    Example: `hypcse score tree.nwk --data iris`
    """
    from hypcse.cli.score import run_score

    run_score(tree, data, labels, columns, graph, self_loops=self_loops, as_json=json)


@app.command()
@with_shared
def compare(
    data: Annotated[str, typer.Argument(help="The points: a file or a data set's name, as for `hypcse fit`.")],
    out: Annotated[Path, typer.Option(help="Folder of the results; a comparison that was stopped goes on there.")],
    method: Annotated[list[str] | None, typer.Option(help="Only this method; repeat it. By default: all.")] = None,
    rank_by: Annotated[
        RankBy,
        typer.Option(help="What to rank by. purity, ari and nmi need classes; cost is Dasgupta's."),
    ] = "entropy",
    pages: Annotated[bool, typer.Option("--pages", help="Also write a page per tree: ward.html, ...")] = False,
    columns: Any = None,
    seed: _Seed = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Methods at a time, each in a process of its own.")] = 1,
) -> None:
    """Run methods on your points, rank their trees, and keep the trees.

    Writes a table (`compare.html`, `compare.md`, `compare.csv`) and a tree per method (`ward.nwk`, ...), which
    `hypcse view` shows. With classes (`--label-column`) there are purity, ARI and NMI too. A method that fails is
    listed as failed; where all fail, the exit code is 1.

    Example: `hypcse compare iris --out iris-methods --method ward --method graph-average`
    """
    from hypcse.cli.compare import run_compare

    run_compare(data, out, columns, method, rank_by=rank_by, n_pages=None if pages else 0, seed=seed, n_jobs=jobs)


@app.command()
def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            help="What to reproduce: table1 (with Table 5), table2, table3, table4, paper-row, few-labels, control, "
            "tau, eta1, k, t1, t2, disks, growth, hierarchies, flat; or `all`."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the results; a stopped run continues there.")] = Path("results"),
    data: Annotated[list[str] | None, typer.Option(help="Run only this data set. Repeatable. By default: all.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Seeds per random method. By default: 1 to 5.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many tasks to run at a time, each in its own process.")] = 1,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="A trial run: two epochs; two data sets and one seed unless you give these."),
    ] = False,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Run nothing; report the results already in the folder.")
    ] = False,
) -> None:
    """Run a table or figure of the paper and report it beside the paper's numbers, as Markdown and as a page.

    An experiment consists of tasks: one method on one data set with one seed. The folder keeps the result of every
    finished task, so a second call continues where the first stopped, and experiments share tasks.

    Example: `hypcse reproduce paper-row --data iris --quick`
    """
    from hypcse.cli.reproduce import run_reproduce

    run_reproduce(name, out, data, seeds, jobs, quick, report_only)


@app.command()
@with_shared
def view(
    source: _Tree,
    out: Annotated[
        Path | None, typer.Option(help="The page to write. By default: beside the tree, ending in .html.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Classes: a .csv with name and class per row, text with one class per line, .npy. Optional."),
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="The points behind the tree: a file or a data set's name. Optional.")
    ] = None,
    columns: Any = None,
    graph: Any = None,
    clusters: Annotated[
        int | None, typer.Option(min=1, help="Number of clusters shown at first. By default: the automatic cut.")
    ] = None,
    compare: Annotated[
        list[Path] | None,
        typer.Option(help="Other labels to set beside the tree, in a file as for --labels. Repeat it for more."),
    ] = None,
    node_names: Annotated[
        Path | None,
        typer.Option(help="Names of nodes: a .csv with a node and a name per row, or JSON. Optional."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page. By default: the name of the data.")] = None,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Show the page in the browser.")] = True,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that hypcse did not write.")] = False,
) -> None:
    """Write a page that shows any tree, and open it: a disk to pan and zoom, a dendrogram, clusters, search, exports.

    The page is one file and works offline. With `--data` it also shows what the similarity graph and the columns say
    about each node, its dendrogram shows how far apart the joined parts are, and beside it is a heat map of the
    columns. Names of nodes in the tree's file are shown too.

    Example: `hypcse view tree.nwk --no-open`
    """
    from hypcse.cli.view import Extras, run_view

    extras = Extras(labels, data, columns, graph, clusters, tuple(compare or ()), node_names, title)
    run_view(source, out, extras, open_page=open_page, overwrite=overwrite)


@app.command()
def methods() -> None:
    """List the methods: their input, the memory they need, and their options for `hypcse fit --set`.

    Example: `hypcse methods`
    """
    from hypcse.cli.output import list_methods

    list_methods()


@app.command()
def datasets() -> None:
    """List the data sets: their sizes and notes.

    Example: `hypcse datasets`
    """
    from hypcse.cli.output import list_datasets

    list_datasets()
