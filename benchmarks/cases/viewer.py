"""The page: writing it, and how fast it moves in a browser that draws in software."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import hypcse
from benchmarks.case import Rng, Workload, case
from benchmarks.cases.discrete import nested_graph
from hypcse.show.page.bundle import render
from hypcse.show.page.contents import page_contents
from hypcse.show.page.levels import Partitions

SOFTWARE = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
# Drag from place to place, one move a frame; the milliseconds from frame to frame.
DRAG = """async () => {
  const canvas = document.getElementById("stage");
  canvas.setPointerCapture = () => {};
  const { left, top } = canvas.getBoundingClientRect();
  const send = (type, x, y) => canvas.dispatchEvent(
    new PointerEvent(type, { pointerId: 1, clientX: left + x, clientY: top + y }));
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const times = [];
  send("pointerdown", 500, 300);
  for (let k = 0, last = performance.now(); k < 40; k++) {
    send("pointermove", 500 - 6 * k, 300 + 4 * k);
    await frame();
    times.push(performance.now() - last);
    last = performance.now();
  }
  send("pointerup", 260, 460);
  return times;
}"""


@case(sizes=(10_000, 100_000), growth="n")
def page_text(n_points: int, rng: Rng) -> Workload:
    """The text of a page with graph, classes, features and names."""
    parts = _parts(n_points, rng)
    return Workload(
        run=lambda: render(_shown(*parts)),
        note="levels and facts of the nodes included, stability not",
        facts=lambda text: {"megabytes": len(text.encode()) / 1e6},
    )


@case(sizes=(10_000, 100_000), growth="n", max_growth=None)
def page_drag(n_points: int, rng: Rng) -> Workload:
    """Opening a page in Chromium and dragging it for forty frames, WebGL2 in software."""
    text = render(_shown(*_parts(n_points, rng)))
    return Workload(run=lambda: _drag(text), note="1280 x 820 pixels", facts=lambda figures: figures)


def _parts(n_points: int, rng: Rng) -> tuple[hypcse.Tree, hypcse.Graph, Any, Any]:
    graph = nested_graph(n_points, rng)
    tree = hypcse.graph_linkage(graph)
    return tree, graph, tree.cut(n_clusters=20), rng.normal(size=(n_points, 4))


def _shown(tree: hypcse.Tree, graph: hypcse.Graph, labels: Any, features: Any) -> dict[str, Any]:
    names = tuple(f"leaf_{k}" for k in range(tree.n_leaves))
    fresh = hypcse.Tree(tree.parent, tree.height)
    levels = hypcse.levels(fresh, graph)
    points = hypcse.Points(features, graph, names, labels)
    return page_contents(fresh, points, Partitions(levels[0], levels))


def _drag(text: str) -> dict[str, float]:
    """Seconds to the first frame, of the processor too, and the mean and slowest frame of a drag in milliseconds."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "tree.html"
        path.write_text(text, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(SOFTWARE))
        page = browser.new_page(viewport={"width": 1280, "height": 820})
        begin = time.perf_counter()
        page.goto(path.as_uri())
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        opened = time.perf_counter() - begin
        told = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
        busy = sum(process["cpuTime"] for process in told if process["type"] == "renderer")
        times = page.evaluate(DRAG)
        browser.close()
    return {
        "open_seconds": opened,
        "open_cpu_seconds": busy,
        "frame_ms": sum(times) / len(times),
        "slowest_frame_ms": max(times),
    }
