"""The page in Chromium: what a person does with mouse, touch and keys, and what comes of it."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import hypcse
from hypcse.graph import scale_features
from hypcse.tree import Tree
from hypcse.tree.nodes import merge_distances
from pages import cut_through, export, saved, settle, told
from strategies import chain

HOSTILE = "<img src=x onerror=\"document.title='broken in'\">"
N = 60


@pytest.fixture(scope="module")
def sample():
    """Points in four groups, their graph and tree, with one leaf whose name would be markup."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), N // 4)
    X = rng.normal(size=(N, 3)) + 7 * rng.normal(size=(4, 3))[y]
    graph = hypcse.similarity_graph(X)
    tree = hypcse.refine(hypcse.graph_linkage(graph), graph)
    names = tuple(HOSTILE if k == 7 else f"point, {k}" for k in range(N))
    return tree.with_names(names), graph, X, y


@pytest.fixture
def path(sample, tmp_path):
    tree, graph, X, y = sample
    labels = [f"kind {k} <b>" for k in y]
    return saved(tree, tmp_path / "tree.html", graph=graph, labels=labels, features=X, title="A <i>tree</i>")


def distances_of(sample):
    """The distances that the page of the sample draws, in single precision."""
    tree, _, X, _ = sample
    return merge_distances(tree, scale_features(X)).astype(np.float32).astype(float)


def on_screen(page, node):
    """Where a node is in the window."""
    box = page.locator("#stage").bounding_box()
    x, y = page.evaluate("node => window.hypcse.position(node)", node)
    return box["x"] + x, box["y"] + y


def center(page):
    box = page.locator("#stage").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_it_loads_and_says_what_it_shows(show, path):
    page = show(path)
    assert told(page, "frames.painter") == "webgl2"
    assert page.locator("h1").inner_text() == "A <i>tree</i>"
    assert page.title() == "A <i>tree</i>"
    assert f"{N} leaves" in page.locator("#summary").inner_text()
    assert told(page, "drawn.segments") > N


def test_a_picture_is_really_painted(show, path):
    """Pixels of the branches differ from the ground, in both looks and by both painters."""
    for scheme in ("light", "dark"):
        page = show(path, color_scheme=scheme)
        assert told(page, "state.look") == scheme
        assert len(set(page.locator("#stage").screenshot())) > 100
        page.click("#theme")
        assert told(page, "state.look") != scheme


def test_canvas_where_there_is_no_webgl(show, path, launch):
    page = show(path, launch("--disable-3d-apis"))
    assert told(page, "frames.painter") == "canvas"
    x, y = center(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 90, y + 40, steps=4)
    page.mouse.up()
    assert told(page, "motion.br") != 0


def test_drag_pans_and_the_wheel_zooms(show, path, sample):
    page = show(path)
    node = sample[0].root
    x, y = on_screen(page, node)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 30, steps=6)
    page.mouse.up()
    settle(page)
    assert on_screen(page, node) == pytest.approx((x + 60, y + 30), abs=1)
    assert told(page, "state.selected") == -1, "a drag is no click"
    before = told(page, "motion")
    page.mouse.wheel(0, -200)
    settle(page)
    assert told(page, "motion") != before
    page.click("#reset")
    settle(page)
    assert on_screen(page, node) == pytest.approx(center(page), abs=1)


def test_double_click_brings_a_node_to_the_center(show, path, sample):
    page = show(path)
    node = int(np.argsort(sample[0].sizes)[-4])
    page.mouse.dblclick(*on_screen(page, node))
    settle(page)
    assert told(page, "state.selected") == node
    assert on_screen(page, node) == pytest.approx(center(page), abs=1)


def test_touch_selects_and_two_fingers_zoom(show, path, sample):
    page = show(path, has_touch=True)
    node = int(np.argsort(sample[0].sizes)[-3])
    page.touchscreen.tap(*on_screen(page, node))
    assert told(page, "state.selected") == node
    page.evaluate(
        """() => {
          const canvas = document.getElementById("stage");
          canvas.setPointerCapture = () => {};
          const { left, top } = canvas.getBoundingClientRect();
          const send = (type, pointerId, x, y) => canvas.dispatchEvent(
            new PointerEvent(type, { pointerId, clientX: left + x, clientY: top + y, pointerType: "touch" }));
          send("pointerdown", 1, 300, 300); send("pointerdown", 2, 360, 300);
          send("pointermove", 1, 260, 300); send("pointermove", 2, 400, 300);
          send("pointerup", 1, 260, 300); send("pointerup", 2, 400, 300);
        }"""
    )
    settle(page)
    assert told(page, "motion.magnified") > 1 or told(page, "motion.br") != 0


def test_hover_and_click_tell_about_a_node(show, path, sample):
    tree, graph, _, y = sample
    page = show(path)
    shares = hypcse.entropy.node_entropies(tree, graph) / hypcse.entropy.node_entropies(tree, graph).sum()
    node = tree.n_leaves + int(np.argmax(shares[tree.n_leaves :]))
    drawn = told(page, "frames.count")
    page.mouse.move(*on_screen(page, node))
    assert f"{tree.sizes[node]} leaves" in page.locator("#tip").inner_text()
    settle(page)
    assert told(page, "frames.count") == drawn, "pointing at a node draws marks, not the tree"
    page.mouse.click(*on_screen(page, node))
    details = page.locator("#details").inner_text()
    for words in (
        f"Node\n{node}",
        "Entropy share",
        "Classes",
        f"kind {y[tree.leaves(node)[0]]} <b>",
        "Typical values",
        "Exemplars",
    ):
        assert words in details
    assert f"{100 * shares[node]:.2f} %" in details


def test_a_name_is_shown_as_text(show, path):
    page = show(path)
    page.fill("#search", "<img")
    assert page.locator("#found li").all_inner_texts() == [HOSTILE]
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator("#details h2").inner_text() == HOSTILE
    assert page.locator("img").count() == 0 and page.locator("main b").count() == 0
    page.mouse.move(*on_screen(page, 7))
    assert HOSTILE in page.locator("#tip").inner_text()
    assert page.title() == "A <i>tree</i>"
    tree = ElementTree.fromstring(export(page, "#export-svg"))
    assert any("<img" in (text.text or "") for text in tree.iter("{http://www.w3.org/2000/svg}text"))


def test_search_finds_and_focuses(show, path):
    page = show(path)
    page.fill("#search", "POINT, 1")
    assert page.locator("#found li").first.inner_text() == "point, 1"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    assert told(page, "state.selected") == 10
    assert "point, 10" in told(page, "words")
    root, middle = on_screen(page, 2 * N - 2), center(page)
    box = page.locator("#stage").bounding_box()
    assert np.hypot(*np.subtract(root, middle)) < 0.6 * min(box["width"], box["height"]) / 2, "the tree is in sight"
    page.fill("#search", "no such leaf")
    assert "No leaf" in page.locator("#found").inner_text()


def test_the_slider_recolors_at_once(show, path, sample):
    page = show(path)
    automatic = hypcse.levels(sample[0], sample[1])[hypcse.main_level(sample[0], sample[1])]
    assert told(page, "state.automatic") and told(page, "colors") == automatic.max() + 1
    for wanted in (2, 5, 11, 30):
        page.locator("#clusters").fill(str(wanted))
        assert told(page, "state.clusters") == told(page, "colors") == wanted
    page.click("#automatic")
    assert told(page, "colors") == automatic.max() + 1
    page.select_option("#coloring", "class")
    assert told(page, "colors") == 4
    page.select_option("#coloring", "depth")
    assert told(page, "colors") > 2
    page.locator("#clusters").fill("6")
    assert told(page, "state.mode") == "cut" and told(page, "colors") == 6


def test_the_csv_is_the_cut(show, path, sample):
    tree, graph, _, y = sample
    page = show(path)
    levels = hypcse.levels(tree, graph)
    for wanted in (1, 4, 17, *(int(labels.max()) + 1 for labels in levels)):
        page.locator("#clusters").fill(str(wanted))
        rows = list(csv.DictReader(io.StringIO(export(page, "#export-csv").decode(), newline="")))
        assert [row["name"] for row in rows] == list(tree.names)
        assert [int(row["label"]) for row in rows] == cut_through(tree, levels, wanted).tolist()
        assert [row["class"] for row in rows] == [f"kind {k} <b>" for k in y]


def tied_tree(seed: int) -> Tree:
    """Multiway joins at few heights, so that the order of splits is decided by ties."""
    rng = np.random.default_rng(seed)
    parent, height, tops = [-1] * 40, [0.0] * 40, list(range(40))
    while len(tops) > 1:
        joined = [tops.pop(int(rng.integers(len(tops)))) for _ in range(min(int(rng.integers(2, 5)), len(tops)))]
        for child in joined:
            parent[child] = len(parent)
        tops.append(len(parent))
        parent.append(-1)
        height.append(max(float(rng.integers(1, 4)) / 3, *(height[child] for child in joined)))
    return Tree(parent, height)


def test_unknown_classes_are_left_out(show, sample, tmp_path):
    """They are not listed, and in the table of labels their cell is empty."""
    tree, _, _, y = sample
    labels = [None if k % 3 else f"kind {y[k]}" for k in range(N)]
    page = show(saved(tree, tmp_path / "tree.html", labels=labels))
    rows = list(csv.DictReader(io.StringIO(export(page, "#export-csv").decode(), newline="")))
    assert [row["class"] for row in rows] == [label or "" for label in labels]
    page.select_option("#coloring", "class")
    assert [text.split()[0] for text in page.locator("#legend .name").all_inner_texts()] == ["kind"] * 4
    colors = told(page, "leafColors")
    assert len({colors[k] for k in range(N) if k % 3}) == 1 and colors[1] not in colors[::3]
    assert len(set(colors[::3])) == 4


@pytest.mark.parametrize("seed", range(4))
def test_cuts_are_those_of_python_for_every_number(show, tmp_path, seed):
    tree = tied_tree(seed)
    page = show(saved(tree, tmp_path / "tied.html"))
    for wanted in range(1, tree.n_leaves + 1):
        assert page.evaluate("k => window.hypcse.labels(k)", wanted) == tree.cut(n_clusters=wanted).tolist()


def test_the_second_view(show, path, sample):
    page = show(path)
    page.click("#show-dendrogram")
    settle(page)
    assert told(page, "state.view") == "dendrogram"
    assert told(page, "motion") == {"top": 0, "bottom": N, "left": distances_of(sample)[-1]}
    node = int(np.argsort(sample[0].sizes)[-3])
    page.mouse.dblclick(*on_screen(page, node))
    settle(page)
    assert told(page, "state.selected") == node
    assert told(page, "motion.bottom") - told(page, "motion.top") < N
    before = told(page, "motion.top")
    x, y = center(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60, steps=3)
    page.mouse.up()
    assert told(page, "motion.top") > before
    page.mouse.wheel(0, -120)
    settle(page)
    page.click("#show-disk")
    assert told(page, "state.view") == "disk"


def along(page, heights):
    """Whether the nodes lie along the axis at these heights: the same line maps all of them."""
    places = [page.evaluate("node => window.hypcse.position(node)", node)[0] for node in range(len(heights))]
    leaf, root = places[0], places[-1]
    return leaf - (leaf - root) * heights / heights[-1] == pytest.approx(np.array(places), abs=0.1)


def test_heights_by_distance_or_of_the_tree(show, path, sample):
    """The dendrogram draws distances at first; the buttons and a key draw the tree's own heights instead."""
    tree = sample[0]
    page = show(path)
    assert not page.locator("#heights").is_visible(), "in the disk nothing is drawn by height"
    page.keyboard.press("h")
    assert told(page, "state.heights") == "distance"
    page.click("#show-dendrogram")
    settle(page)
    assert along(page, distances_of(sample)) and not along(page, tree.height)
    assert told(page, "axis") == "distance between joined parts (root mean square, scaled features)"
    before = page.locator("#stage").screenshot()
    page.click("#height-tree")
    settle(page)
    assert along(page, tree.height)
    assert told(page, "axis") == "height (log2 of volume)"
    assert page.locator("#stage").screenshot() != before
    assert page.get_attribute("#height-tree", "aria-pressed") == "true"
    through = cut_through(tree, hypcse.levels(tree, sample[1]), 5)
    assert page.evaluate("window.hypcse.labels(5)") == through.tolist(), "cuts go by the tree's own heights"
    page.keyboard.press("h")
    settle(page)
    assert along(page, distances_of(sample))
    assert "distance between joined parts" in page.locator("#live").inner_text()
    picture = ElementTree.fromstring(export(page, "#export-svg"))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "distance between joined parts (root mean square, scaled features)" in texts
    assert export(page, "#export-png").startswith(b"\x89PNG")
    whole = Tree.from_newick(export(page, "#export-newick").decode(), names=tree.names)
    assert np.sort(whole.height) == pytest.approx(np.sort(tree.height)), "Newick has the tree's own heights"


def test_a_subtree_stays_in_sight_when_heights_change(show, path, sample):
    page = show(path)
    page.click("#show-dendrogram")
    node = int(np.argsort(sample[0].sizes)[-4])
    page.mouse.dblclick(*on_screen(page, node))
    settle(page)
    window, place = told(page, "motion"), on_screen(page, node)
    page.click("#height-tree")
    settle(page)
    assert told(page, "motion.top") == window["top"] and told(page, "motion.bottom") == window["bottom"]
    assert on_screen(page, node) == pytest.approx(place, abs=1)
    page.click("#height-distance")
    assert told(page, "motion") == pytest.approx(window)


def test_a_node_tells_how_far_apart_its_parts_are(show, tmp_path):
    """The root is drawn as high as the node below it, whose parts are farther apart, and says no more than that."""
    tree, X = Tree.from_newick("((0,2),1);"), [[0.0], [2.0], [5.0]]
    page = show(saved(tree, tmp_path / "tree.html", features=X, scale="none"))
    page.locator("#stage").focus()
    for node, words in ((4, "at most 5"), (3, "5")):
        page.keyboard.press("Shift+ArrowDown")
        assert told(page, "state.selected") == node
        assert f"Distance of parts\n{words}\n" in page.locator("#details").inner_text()
        assert f"2 children {words} apart" in page.locator("#live").inner_text()
        page.mouse.move(*on_screen(page, node))
        assert f"parts {words} apart" in page.locator("#tip").inner_text()
    page.keyboard.press("Shift+ArrowDown")
    assert "Distance" not in page.locator("#details").inner_text()


def test_without_features_there_is_nothing_to_choose(show, tmp_path, sample):
    page = show(saved(sample[0], tmp_path / "bare.html"))
    page.click("#show-dendrogram")
    page.keyboard.press("h")
    settle(page)
    assert not page.locator("#heights").is_visible()
    assert told(page, "axis") == "height (log2 of volume)"
    assert told(page, "motion.left") == sample[0].height[-1]
    page.locator("#stage").focus()
    page.keyboard.press("Shift+ArrowDown")
    assert "Distance" not in page.locator("#details").inner_text()


def test_pictures_and_newick_to_take_away(show, path, sample):
    tree = sample[0]
    page = show(path)
    assert export(page, "#export-png").startswith(b"\x89PNG")
    picture = ElementTree.fromstring(export(page, "#export-svg"))
    assert picture.tag.endswith("svg") and len(list(picture.iter("{http://www.w3.org/2000/svg}path"))) > 3
    whole = Tree.from_newick(export(page, "#export-newick").decode(), names=tree.names)
    assert hypcse.robinson_foulds(whole, tree) == 0
    assert np.sort(whole.height) == pytest.approx(np.sort(tree.height))
    node = int(np.argsort(tree.sizes)[-3])
    page.mouse.click(*on_screen(page, node))
    part = Tree.from_newick(export(page, "#export-newick").decode())
    assert set(part.names) == {tree.names[k] for k in tree.leaves(node)}


def test_keys_alone(show, path, sample):
    """From a fresh page: reach the picture, walk the tree, focus, pan, zoom, cut, search, change views, get help."""
    tree = sample[0]
    page = show(path)
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "stage":
            break
    assert page.evaluate("document.activeElement.id") == "stage"
    page.keyboard.press("Shift+ArrowDown")
    assert told(page, "state.selected") == tree.root
    assert f"{N} leaves" in page.locator("#live").inner_text()
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    node = told(page, "state.selected")
    assert tree.parent[node] == tree.root
    page.keyboard.press("Enter")
    settle(page)
    assert on_screen(page, node) == pytest.approx(center(page), abs=1)
    page.keyboard.press("ArrowRight")
    assert on_screen(page, node)[0] < center(page)[0] - 20
    page.keyboard.press("+")
    page.keyboard.press("+")
    settle(page)
    page.keyboard.press("Home")
    settle(page)
    assert told(page, "motion") == {"ar": 1, "ai": 0, "br": 0, "bi": 0, "magnified": 1}
    before = told(page, "state.clusters")
    page.keyboard.press("]")
    assert told(page, "state.clusters") == before + 1
    page.keyboard.press("c")
    assert told(page, "state.mode") == "class"
    page.keyboard.press("v")
    assert told(page, "state.view") == "dendrogram"
    page.keyboard.press("/")
    page.keyboard.type("point, 33")
    page.keyboard.press("Enter")
    assert told(page, "state.selected") == 33
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert told(page, "state.selected") == -1


def test_it_fits_a_narrow_window(show, path):
    page = show(path, viewport={"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.locator("#stage").bounding_box()["height"] >= 300


@pytest.mark.parametrize("features", [False, True], ids=["bare", "copies"])
@pytest.mark.parametrize("tree", [Tree([-1], [0]), Tree.from_newick("(a,b);"), Tree.from_newick("(a:0,b:0,c:0);")])
def test_the_smallest_trees(show, tmp_path, tree, features):
    """With features too, all of them alike, so that all distances are 0."""
    X = np.ones((tree.n_leaves, 2)) if features else None
    page = show(saved(tree, tmp_path / "small.html", features=X))
    page.click("#show-dendrogram")
    settle(page)
    page.locator("#stage").focus()
    for key in ("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight", "Enter", "h", "+", "-", "0", "]", "["):
        page.keyboard.press(key)
    page.click("#show-disk")
    settle(page)
    assert told(page, "state.clusters") >= 1


def test_a_long_chain(show, tmp_path):
    """Nothing is recursive: a chain of 20,000 leaves is drawn, cut and written."""
    deep = chain(20_000)
    page = show(saved(deep, tmp_path / "chain.html"))
    page.click("#show-dendrogram")
    settle(page)
    page.fill("#search", "19999")
    page.keyboard.press("Enter")
    settle(page)
    assert page.evaluate("window.hypcse.labels(50)") == deep.cut(n_clusters=50).tolist()
    page.keyboard.press("Escape")
    text = export(page, "#export-newick").decode()
    assert text.count("(") == 19_999


def test_a_hundred_thousand_leaves(show, tmp_path):
    """The file stays under 9.1 MB with everything in it, and while dragging little enough is drawn."""
    n = 100_000
    rng = np.random.default_rng(0)
    y = rng.integers(30, size=n)
    X = rng.normal(size=(n, 3)) + 9 * rng.normal(size=(30, 3))[y]
    graph = hypcse.similarity_graph(X, bandwidth="median")
    names = [f"leaf_{k}" for k in range(n)]
    path = tmp_path / "large.html"
    hypcse.view(hypcse.graph_linkage(graph), path, graph=graph, labels=y, features=X, names=names)
    assert path.stat().st_size < 9_100_000
    page = show(path)
    x, y0 = center(page)
    page.mouse.move(x, y0)
    page.mouse.down()
    page.mouse.move(x + 120, y0 + 40, steps=5)
    assert told(page, "frames.moving")
    assert told(page, "drawn.segments") < 20_000 and told(page, "drawn.dots") < 5_000
    page.mouse.up()
    settle(page)
    assert told(page, "drawn.dots") > 1_000
