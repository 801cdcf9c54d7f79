"""What a person works with on a page: names, levels, heat map, labels side by side, links and lists to copy."""

from __future__ import annotations

import csv
import io
import json
import math
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

import hypcse
from hypcse.tree import Tree
from hypcse.tree.newick import read_node_names
from pages import cut_through, export, saved, settle, told

N = 120
COLUMNS = ["size", "weight of the whole animal", "tail", "noise"]
TEXT = "{http://www.w3.org/2000/svg}text"


@pytest.fixture(scope="module")
def sample():
    """Four groups of points, told apart by size, then by weight; a column of 0 and 1 marks two of them."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), N // 4)
    X = rng.normal(size=(N, 4))
    X[:, 0] += 40 * (y >= 2)
    X[:, 1] += 15 * (y % 2)
    X[:, 2] = y >= 2
    graph = hypcse.similarity_graph(X, scale="standard")
    tree = hypcse.refine(hypcse.graph_linkage(graph), graph)
    levels = hypcse.levels(tree, graph, n_clusters=[2, 4, 14], min_size=1)
    return tree.with_names([f"animal {k}" for k in range(N)]), levels, X, y


@pytest.fixture
def path(sample, tmp_path):
    tree, levels, X, y = sample
    other = np.where(np.arange(N) % 10 == 0, "odd", np.array(["left", "right"])[(y >= 2).astype(int)])
    return saved(
        tree,
        tmp_path / "tree.html",
        labels=[f"kind {k}" for k in y],
        features=X,
        feature_names=COLUMNS,
        levels=levels,
        stability=[0.9, 0.95, 0.4],
        automatic=levels[1],
        node_names={tree.root: "all <b>animals"},
        compare={"by hand": other},
    )


def top_of(tree, leaves):
    """The smallest node over some leaves."""
    sizes = [(tree.sizes[node], node) for node in range(tree.n_nodes) if set(leaves) <= set(tree.leaves(node).tolist())]
    return int(min(sizes)[1])


def address(page):
    """The address of the page, once it holds what is shown."""
    page.wait_for_timeout(400)
    return page.evaluate("location.href")


def on_picture(page, x, y):
    box = page.locator("#stage").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y)


def contrast(page, selector):
    """Least contrast of the texts of some elements with what is behind them."""
    return page.evaluate(
        """(selector) => {
          const parse = (text) => {
            const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
            return text.startsWith("color(srgb") ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
          };
          const over = (top, below) => top.slice(0, 3).map((value, k) => value * top[3] + below[k] * (1 - top[3]));
          const ground = (node) => {
            if (!node) return [255, 255, 255];
            const own = parse(getComputedStyle(node).backgroundColor);
            return own[3] === 1 ? own.slice(0, 3) : over(own, ground(node.parentElement));
          };
          const light = (color) => {
            const [r, g, b] = color.map((byte) => byte / 255)
              .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const found = Array.from(document.querySelectorAll(selector))
            .filter((node) => node.checkVisibility() && Array.from(node.childNodes).some((one) => one.nodeType === 3));
          return Math.min(...found.map((node) => {
            const below = ground(node);
            const style = getComputedStyle(node);
            const ink = parse(style.color);
            ink[3] *= Number(style.opacity);
            const [a, b] = [light(over(ink, below)), light(below)].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05);
          }));
        }""",
        selector,
    )


def test_nodes_are_named_by_what_sets_them_apart(show, path):
    """Against all other leaves, by typical values."""
    page = show(path)
    page.locator("#level-list button").first.click()
    texts = page.locator("#legend .name").all_inner_texts()
    assert sorted(text.split(maxsplit=1)[1] for text in texts) == ["size 0", "size 40"]
    page.locator("#level-list button").nth(1).click()
    assert sum("weight of the whole animal" in text for text in page.locator("#legend .name").all_inner_texts()) == 4
    page.keyboard.press("v")
    settle(page)
    assert any("weight of the whole" in text for text in told(page, "words"))
    page.locator("#stage").focus()
    page.keyboard.press("Shift+ArrowDown")
    assert page.locator("#details h2").inner_text() == "all <b>animals"


def test_a_name_is_given_and_goes_into_every_export(show, path, sample):
    tree, _, _, y = sample
    node = top_of(tree, np.flatnonzero(y == 3))
    page = show(path)
    page.goto(f"{path.as_uri()}#node={node}&view=dendrogram")
    page.reload()
    page.locator("#stage").focus()
    page.keyboard.press("n")
    page.keyboard.type("Giants, 'old'")
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator("#details h2").inner_text() == "Giants, 'old'"
    assert "Giants, 'old'" in told(page, "words")
    held = json.loads(export(page, "#export-json"))
    assert held["node_names"][str(node)] == "Giants, 'old'" and held["node_names"][str(tree.root)] == "all <b>animals"
    again = Tree.from_json(json.dumps(held))
    assert again == tree and (again.unit, again.joined_from) == ("volume", math.inf)
    picture = ElementTree.fromstring(export(page, "#export-svg"))
    assert sum("Giants" in (text.text or "") for text in picture.iter(TEXT)) == 2, "over the branch and in the key"
    assert "Giants, 'old'" in export(page, "#export-csv").decode()
    page.locator("#stage").focus()
    page.keyboard.press("Escape")
    written = export(page, "#export-newick").decode()
    assert "Giants, 'old'" in read_node_names(written).values()
    assert hypcse.robinson_foulds(Tree.from_newick(written, names=tree.names), tree) == 0
    again = show(path)
    again.goto(address(page))
    again.reload()
    again.keyboard.press("/")
    again.keyboard.type("giants")
    again.keyboard.press("Enter")
    assert told(again, "state.selected") == node, "the link has the name, and the search finds it"
    again.keyboard.press("n")
    again.keyboard.press("Delete")
    again.keyboard.press("Enter")
    assert "weight" in again.locator("#details h2").inner_text(), "an empty name takes it back"


def test_a_number_of_clusters_means_one_partition(show, path, sample):
    """The levels are on the way of the slider, and every cut lies inside the one before."""
    tree, levels, _, _ = sample
    page = show(path)
    before = np.zeros(N, int)
    for k in range(1, 21):
        page.locator("#clusters").fill(str(k))
        level = [int(labels.max()) + 1 for labels in levels].index(k) if k in (2, 4, 14) else -1
        assert told(page, "state.level") == level
        labels = np.array(page.evaluate("k => window.hypcse.labels(k)", k))
        assert labels.tolist() == cut_through(tree, levels, k).tolist()
        assert np.unique(np.stack([before, labels]), axis=1).shape[1] == labels.max() + 1
        before = labels
    assert [
        float(x) for x in page.evaluate("Array.from(document.querySelectorAll('datalist option'), o => o.value)")
    ] == [
        2,
        4,
        14,
    ]


def test_arrow_keys_step_through_the_levels(show, path):
    page = show(path)
    page.locator("#level-list button").nth(1).focus()
    for key, level in (("ArrowRight", 2), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0), ("End", 2)):
        page.keyboard.press(key)
        assert told(page, "state.level") == level
        assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Shift+L")
    assert told(page, "state.level") == 1
    assert page.locator("#level-list [tabindex='0']").count() == 1


def test_the_heat_map_shows_the_leaves(show, path, sample):
    tree, levels, X, _ = sample
    page = show(path)
    page.click("#show-dendrogram")
    settle(page)
    assert told(page, "beside.columns") == COLUMNS and told(page, "beside.rects") > 4 * N
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    for label in range(4):
        for column in range(4):
            shown = page.evaluate("([label, column]) => window.hypcse.heat(label, column)", [label, column])
            assert shown == pytest.approx(z[levels[1] == label][:, column].mean(), abs=1e-3)
    place = page.evaluate("window.hypcse.heatPlace(0, 1)")
    on_picture(page, *place)
    said = page.locator("#tip").inner_text()
    assert said.startswith(f"weight of the whole animal {X[0, 1]:.2f}") and "animal 0\n" in said
    assert f"mean of the cluster {X[levels[1] == 0, 1].mean():.2f}" in said
    on_picture(page, place[0], 30)
    assert page.locator("#tip").inner_text().startswith("weight of the whole animal")
    on_picture(page, *place)
    page.mouse.down()
    page.mouse.up()
    assert told(page, "state.selected") == top_of(tree, np.flatnonzero(levels[1] == 0))
    page.keyboard.press("m")
    settle(page)
    assert told(page, "beside.columns") == [] and not page.is_checked("#heat")
    rows = list(csv.DictReader(io.StringIO(export(page, "#export-means").decode(), newline="")))
    assert [int(row["leaves"]) for row in rows] == [30] * 4
    for row in rows:
        assert float(row["size"]) == pytest.approx(X[levels[1] == int(row["label"]), 0].mean(), abs=0.02)


def test_a_selection_lights_up_among_the_points(show, path, sample):
    """And a lasso selects leaves, whose nearest node is the cluster that they are."""
    tree = sample[0]
    page = show(path)
    page.keyboard.press("p")
    settle(page)
    page.wait_for_timeout(100)
    assert told(page, "scatter.dots") == N
    before = page.locator("#points").screenshot()
    page.locator("#legend button").first.click()
    node = told(page, "state.selected")
    page.wait_for_timeout(100)
    assert page.locator("#points").screenshot() != before
    places = np.array([page.evaluate("leaf => window.hypcse.pointPlace(leaf)", leaf) for leaf in range(N)])
    inside = np.isin(np.arange(N), tree.leaves(node))
    box = page.locator("#points").bounding_box()
    page.mouse.move(*(places[0] + (box["x"], box["y"])))
    assert told(page, "state.hovered") == 0 and "animal 0" in page.locator("#tip").inner_text()
    (left, top), (right, bottom) = places[inside].min(axis=0) - 6, places[inside].max(axis=0) + 6
    caught = ((places > (left, top)) & (places < (right, bottom))).all(axis=1)
    page.mouse.move(box["x"] + left, box["y"] + top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom)):
        page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.up()
    assert told(page, "lassoed") == np.flatnonzero(caught).tolist()
    assert page.locator("#details h2").inner_text() == f"{caught.sum()} leaves by lasso"
    colors = np.array(told(page, "leafColors"))
    assert not set(colors[caught]) & set(colors[~caught]), "other leaves are pale in the tree"
    page.click("text=Nearest node")
    assert told(page, "state.selected") == node and told(page, "lassoed") is None
    page.mouse.move(*(places[0] + (box["x"], box["y"])))
    page.mouse.wheel(0, -300)
    assert told(page, "scatter.enlarged") > 1
    assert page.evaluate("window.hypcse.pointPlace(0)") == pytest.approx(places[0], abs=1)
    page.keyboard.press("p")
    assert not page.locator("#scatter").is_visible()


def test_clusters_and_labels_side_by_side(show, path, sample):
    """The table counts as scikit-learn does, and a color means one thing: classes have those of their clusters."""
    _, levels, _, y = sample
    page = show(path)
    for level in (1, 2):
        page.locator("#level-list button").nth(level).click()
        counts = contingency_matrix(levels[level], y)
        cells = page.locator("#pairs tbody td").all_inner_texts()
        shown = np.array([0 if cell == "·" else int(cell) for cell in cells]).reshape(-1, 4)
        order = [int(text) for text in page.locator("#pairs tbody th").all_inner_texts()]
        assert np.array_equal(shown, counts[order])
        assert f"{adjusted_rand_score(y, levels[level]):.3f}" in page.locator("#agreement").inner_text()
    page.locator("#level-list button").nth(1).click()
    clusters = told(page, "leafColors")
    page.select_option("#coloring", "class")
    assert told(page, "leafColors") == clusters, "the clusters are the classes here"
    page.select_option("#compared", label="by hand")
    assert "odd" in page.locator("#pairs thead").inner_text()
    page.keyboard.press("c")
    assert told(page, "state.mode") == "compare-0" and told(page, "colors") == 3
    page.keyboard.press("s")
    settle(page)
    assert told(page, "state.view") == "dendrogram" and told(page, "words").count("by hand") == 1
    before = told(page, "beside.rects")
    page.keyboard.press("s")
    settle(page)
    assert told(page, "beside.rects") < before


def test_exemplars_have_the_colors_that_are_shown(show, path):
    page = show(path)
    page.locator("#legend button").first.click()
    page.select_option("#coloring", "depth")
    swatches = page.locator("#details .leaves .swatch")
    shown = page.evaluate("element => getComputedStyle(element).backgroundColor", swatches.first.element_handle())
    page.select_option("#coloring", "cut")
    after = page.evaluate("element => getComputedStyle(element).backgroundColor", swatches.first.element_handle())
    assert shown != after


def test_a_long_legend_says_that_there_is_more(show, path):
    page = show(path)
    page.locator("#level-list button").nth(2).click()
    assert page.locator("#legend li").count() == 10
    assert page.locator("#legend-more").inner_text() == "4 more"
    page.click("#legend-more")
    assert page.locator("#legend li").count() == 14


def test_the_leaves_of_a_node_are_copied(show, path, sample):
    tree = sample[0]
    page = show(path)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.keyboard.press("y")
    assert page.locator("#said").inner_text() == "Select a node first."
    page.locator("#legend button").first.click()
    page.locator("#stage").focus()
    page.keyboard.press("y")
    page.wait_for_selector("#said:has-text('30 names copied')")
    names = page.evaluate("navigator.clipboard.readText()").split("\n")[:-1]
    node = told(page, "state.selected")
    assert set(names) == {tree.names[leaf] for leaf in tree.leaves(node)} and len(names) == 30


def test_a_link_restores_the_view(show, path):
    page = show(path)
    page.locator("#level-list button").nth(2).click()
    page.keyboard.press("v")
    page.keyboard.press("m")
    page.keyboard.press("h")
    page.select_option("#coloring", "class")
    page.fill("#search", "animal 77")
    page.keyboard.press("Enter")
    settle(page)
    again = show(path)
    again.goto(address(page))
    again.reload()
    settle(again)
    ignored = {"renamed", "hovered", "cell"}
    kept = {key: value for key, value in told(page, "state").items() if key not in ignored}
    assert {key: value for key, value in told(again, "state").items() if key not in ignored} == kept
    assert told(again, "motion") == pytest.approx(told(page, "motion"))
    page.click("#show-disk")
    page.keyboard.press("Enter")
    settle(page)
    again.evaluate("hash => { location.hash = hash; }", address(page).split("#")[1])
    settle(again)
    assert told(again, "motion") == pytest.approx(told(page, "motion")), "a new hash in an open page too"


@pytest.mark.parametrize(
    "wrong", ["node=99999&level=0&clusters=-3", "at=1,2,x&names=[[1,2,3],7", "view=&mode=none&at=5,1,0&names={}"]
)
def test_a_damaged_link_shows_what_it_can(show, path, wrong):
    page = show(path)
    page.goto(f"{path.as_uri()}#{wrong}")
    page.reload()
    settle(page)
    assert told(page, "state.clusters") == 4 and told(page, "state.selected") == -1
    assert told(page, "motion") == {"ar": 1, "ai": 0, "br": 0, "bi": 0, "magnified": 1}


def test_classes_are_found_and_nothing_can_be_read(show, path, sample):
    tree, _, _, y = sample
    page = show(path)
    page.fill("#search", "kind 2")
    assert page.locator("#found li").all_inner_texts() == ["kind 2\nclass"]
    page.keyboard.press("Enter")
    settle(page)
    assert told(page, "state.mode") == "class"
    assert told(page, "state.selected") == top_of(tree, np.flatnonzero(y == 2))
    page.fill("#search", "no such thing")
    assert page.locator("#found [aria-selected=true]").count() == 0
    assert contrast(page, "#found li") >= 4.5


def test_names_in_a_crowded_dendrogram(show, path):
    """Of 120 leaves some have names, and a search shows a leaf among others."""
    page = show(path)
    page.keyboard.press("v")
    settle(page)
    assert 20 < sum(text.startswith("animal") for text in told(page, "words")) < N
    page.fill("#search", "animal 77")
    page.keyboard.press("Enter")
    settle(page)
    assert told(page, "motion.bottom") - told(page, "motion.top") == 20
    assert "animal 77" in told(page, "words")


@pytest.mark.parametrize("look", ["light", "dark"])
def test_everything_can_be_read_in_a_narrow_window(show, path, look):
    page = show(path, viewport={"width": 400, "height": 800}, color_scheme=look)
    page.keyboard.press("v")
    page.locator("#legend button").first.click()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert 1 <= len(told(page, "beside.columns")) <= 4
    assert contrast(page, "header *, #levels *, aside *:not(:disabled)") >= 4.5


def test_the_picture_has_a_key_to_its_colors(show, path):
    page = show(path)
    for mode, texts in (("class", {"kind 0 (30)", "kind 3 (30)"}), ("compare-0", {"odd (12)"})):
        page.select_option("#coloring", mode)
        picture = ElementTree.fromstring(export(page, "#export-svg"))
        assert texts <= {text.text for text in picture.iter(TEXT)}
    assert export(page, "#export-png").startswith(b"\x89PNG")


def test_outliers_are_grey_and_last(show, tmp_path):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 3)), rng.normal(12, 1, size=(40, 3)), [[90.0, -90, 90], [-70, 99, 0]]])
    model = hypcse.EntropyClustering(2, mark_outliers=True).fit(X)
    page = show(saved(model, tmp_path / "tree.html", features=X))
    texts = page.locator("#legend .name").all_inner_texts()
    assert texts[-1] == "outliers" and texts[:-1] == hypcse.describe(model, X)["name"].tolist()[:-1]
    assert int(page.locator("#legend .count").last.inner_text()) == np.sum(model.labels_ < 0)
    assert told(page, "state.clusters") == 2
    colors = page.locator("#legend .swatch").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).backgroundColor)"
    )
    red, green, blue = (int(part) for part in colors[-1][4:-1].split(","))
    assert max(red, green, blue) - min(red, green, blue) < 40 and len(set(colors)) == 3
