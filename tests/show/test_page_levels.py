"""The levels that a page offers, with their stability, and what it says of the structure."""

from __future__ import annotations

import csv
import io
import json
from types import SimpleNamespace

import numpy as np
import pytest

import hypcse
from hypcse.partitions.evidence import Structure
from hypcse.partitions.nested_levels import Levels
from hypcse.show.page.bundle import to_json
from hypcse.tree import Tree
from pages import export, gathered, saved, settle, told, unpack

N = 60
CLEAR = Structure("clear", 12.3, 2.0)
NOTHING = Structure("none", 0.4, 0.1)


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, 3)) + 7 * rng.normal(size=(4, 3))[np.repeat(np.arange(4), N // 4)]


@pytest.fixture(scope="module")
def case(points):
    """A tree, its graph, and nested cuts of it."""
    graph = hypcse.similarity_graph(points)
    tree = hypcse.refine(hypcse.graph_linkage(graph), graph)
    return tree, graph, hypcse.levels(tree, graph, n_clusters=[2, 4, 9])


@pytest.fixture
def path(case, tmp_path):
    """A page of three levels, the one in the middle automatic."""
    tree, graph, levels = case
    options = {"levels": levels, "stability": [0.5, 0.974, 1], "automatic": levels[1], "structure": CLEAR}
    return saved(tree, tmp_path / "tree.html", graph=graph, **options)


def nested(found):
    """The labels of all levels, as the page reads them."""
    levels = [unpack(found["finest"])]
    for table in reversed(found["coarser"]):
        levels.insert(0, unpack(table)[np.unique(levels[0], return_inverse=True)[1]])
    return [labels.tolist() for labels in levels]


def held(source, **options):
    return json.loads(to_json(gathered(source, **options)))


def rows(page):
    """The text of each level, and whether it is pressed."""
    buttons = page.locator("#level-list button").all()
    return [(" ".join(one.inner_text().split()), one.get_attribute("aria-pressed") == "true") for one in buttons]


def is_automatic(page):
    return page.get_attribute("#automatic", "aria-pressed") == "true"


def pressed(page):
    return [k for k, (_, on) in enumerate(rows(page)) if on]


def test_given_levels_are_held(case):
    """Whatever their numbers are; a level that is the automatic cut is held once."""
    tree, _, levels = case
    levels = [levels[0], 700 - 3 * levels[1], levels[2]]
    shown = held(tree, levels=levels, stability=[0.25, 0.5, 1], automatic=levels[2])
    found = shown["levels"]
    assert nested(found) == [labels.tolist() for labels in levels]
    assert found["stability"] == [0.25, 0.5, 1] and found["main"] == 2 and shown["automatic"] is None
    found = held(tree, levels=levels, automatic=np.arange(N) % 2)["levels"]
    assert found["stability"] is None and found["main"] is None
    found = held(tree, levels=levels, automatic=np.zeros(N, int))
    assert found["automaticRule"] in ("widest gap in height", "main level"), "one cluster shows nothing"


@pytest.mark.parametrize("largest", [10**6, 2**31 - 1, 2**31, 2**32, 2**32 + 5, 2**63, 2**64 - 1])
def test_labels_that_no_page_holds_are_refused(case, largest):
    """They would wrap, or take the memory of the browser."""
    tree = case[0]
    labels = np.zeros(N, np.uint64)
    labels[-1] = largest
    for options in ({"automatic": labels}, {"levels": [labels]}):
        with pytest.raises(ValueError, match=f"go up to {largest}, but a page .* below 1000000. Number them anew"):
            hypcse.view(tree, **options)
    anew = np.unique(labels, return_inverse=True)[1]
    assert unpack(held(tree, automatic=anew)["automatic"]).tolist() == anew.tolist()
    assert held(tree, labels=labels)["classes"]["names"] == ["0", str(largest)]
    assert hypcse.score(tree, labels=labels, clusters=labels)["ari"] == 1


def test_labels_may_leave_numbers_out(case):
    labels = np.zeros(N, np.int64)
    labels[-1] = 999_999
    assert unpack(held(case[0], automatic=labels)["automatic"]).tolist() == labels.tolist()


def test_levels_of_a_graph_are_found_and_measured(case, points):
    tree, graph, _ = case
    found = held(tree, graph=graph, features=points)["levels"]
    levels = hypcse.levels(tree, graph)
    assert nested(found) == [labels.tolist() for labels in levels]
    assert found["stability"] == pytest.approx(hypcse.stability(levels, graph, points), abs=1e-4)
    assert found["main"] == hypcse.main_level(tree, graph)


def test_without_structure_one_cluster_comes_first_and_the_main_level_is_shown(case):
    """Whether a graph is given, or a model whose labels are one cluster; labels that say more are kept."""
    tree, graph, _ = case
    of_graph = held(tree, graph=graph, structure=NOTHING)
    levels, main = nested(of_graph["levels"]), of_graph["levels"]["main"]
    assert max(levels[0]) == 0 and main == 1 + hypcse.main_level(tree, graph)
    assert of_graph["structure"] == {"text": str(NOTHING), "found": False}
    model = SimpleNamespace(tree_=tree, graph_=graph, levels_=Levels(levels, main), structure_=NOTHING)
    for labels, level in ((levels[0], main), (levels[-1], len(levels) - 1)):
        model.labels_ = labels
        assert held(model)["levels"]["main"] == level


def test_a_model_brings_its_levels(case):
    """Its own stability goes with its own levels, not with those that are given."""
    tree, graph, levels = case
    own = {"levels_": levels, "stability_": [0.1, 0.2, 0.3], "structure_": CLEAR}
    model = SimpleNamespace(tree_=tree, graph_=graph, labels_=levels[1], **own)
    shown = held(model)
    assert len(nested(shown["levels"])) == 3 and shown["levels"]["main"] == 1
    assert shown["levels"]["stability"] == [0.1, 0.2, 0.3] and shown["structure"]["text"] == str(CLEAR)
    shown = held(model, levels=levels[:2], structure=NOTHING)
    assert shown["levels"]["stability"] is None and shown["structure"]["text"] == str(NOTHING)
    assert held(model, stability=np.array([0.5, 0.6, 0.7]))["levels"]["stability"] == [0.5, 0.6, 0.7]


def test_large_trees_are_not_measured(case, monkeypatch):
    tree, graph, levels = case
    monkeypatch.setattr("hypcse.show.page.levels.is_quick", lambda graph: False)
    assert held(tree, graph=graph)["levels"]["stability"] is None
    model = SimpleNamespace(tree_=tree, graph_=graph, levels_=levels, stability_=[0.1, 0.2, 0.3])
    assert held(model)["levels"]["stability"] is None


def test_a_fitted_model(points):
    model = hypcse.HypCSE(n_epochs=0, random_state=0).fit(points)
    found = held(model)
    assert found["levels"]["stability"] == pytest.approx(model.stability_, abs=1e-4)
    assert found["structure"]["text"] == str(model.structure_)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_smallest_graphs(n):
    graph = hypcse.Graph.from_edges(np.arange(n - 1), np.arange(1, n), np.ones(n - 1), n)
    tree = Tree([-1], [0]) if n == 1 else hypcse.graph_linkage(graph)
    found = held(tree, graph=graph)["levels"]
    assert len(nested(found)) == len(found["stability"]) >= 1


def test_the_list_says_what_the_levels_are(show, path):
    page = show(path)
    words = ["2 clusters , stability 0.50", "4 clusters main , stability 0.97", "9 clusters , stability 1.00"]
    assert [text for text, _ in rows(page)] == words
    assert [k for k, (text, _) in enumerate(rows(page)) if "main" in text] == [1]
    assert page.locator("#structure").inner_text() == "Clear structure beyond chance (12.3 standard deviations)."
    assert pressed(page) == [1] and is_automatic(page)


def test_a_click_shows_a_level(show, path):
    page = show(path)
    for k, count in ((0, 2), (2, 9), (1, 4)):
        page.locator("#level-list button").nth(k).click()
        assert pressed(page) == [k] and told(page, "state.level") == k
        assert told(page, "state.clusters") == told(page, "colors") == count
        assert page.locator("#legend li").count() == count
        assert page.input_value("#clusters-number") == str(count)
        assert f"Level {k + 1} of 3: {count} clusters" in page.locator("#live").inner_text()
        assert is_automatic(page) == (k == 1)


def test_a_level_is_left_by_every_other_choice(show, path):
    page = show(path)
    last = page.locator("#level-list button").nth(2)
    last.click()
    page.keyboard.press("]")
    assert told(page, "state.clusters") == 10 and pressed(page) == []
    last.click()
    page.keyboard.press("[")
    assert told(page, "state.clusters") == 8 and pressed(page) == []
    last.click()
    page.locator("#clusters").fill("5")
    assert told(page, "state.clusters") == 5 and pressed(page) == []
    last.click()
    page.click("#automatic")
    assert told(page, "state.clusters") == 4 and pressed(page) == [1]


def test_colors_by_class_give_way_to_a_level(show, case, tmp_path):
    tree, _, levels = case
    page = show(saved(tree, tmp_path / "tree.html", levels=levels, labels=np.arange(N) % 3))
    page.select_option("#coloring", "class")
    page.locator("#level-list button").nth(2).click()
    assert told(page, "state.mode") == "cut" and told(page, "colors") == 9


def test_a_key_goes_from_level_to_level(show, path):
    page = show(path)
    page.keyboard.press("l")
    assert pressed(page) == [2]
    page.keyboard.press("l")
    assert pressed(page) == [0]
    page.locator("#clusters").fill("3")
    page.locator("#stage").focus()
    page.keyboard.press("l")
    assert pressed(page) == [1], "the first level with more clusters than are shown"


def test_the_largest_part_keeps_its_color(show, path, case):
    """As clusters do when the slider splits them."""
    _, _, levels = case
    page = show(path)
    seen = []
    for k in range(3):
        page.locator("#level-list button").nth(k).click()
        seen.append(page.evaluate("window.hypcse.leafColors"))
    for k in range(2):
        for cluster in range(levels[k].max() + 1):
            inside = np.flatnonzero(levels[k] == cluster)
            sizes = np.bincount(levels[k + 1][inside])
            heirs = inside[np.isin(levels[k + 1][inside], np.flatnonzero(sizes == sizes.max()))]
            assert seen[k][inside[0]] in {seen[k + 1][leaf] for leaf in heirs}


def test_the_csv_is_the_level(show, case, tmp_path):
    """With the numbers that were given."""
    tree, _, levels = case
    levels = [levels[0], 700 - 3 * levels[1], levels[2]]
    page = show(saved(tree, tmp_path / "tree.html", levels=levels))
    for k, labels in enumerate(levels):
        page.locator("#level-list button").nth(k).click()
        table = csv.DictReader(io.StringIO(export(page, "#export-csv").decode(), newline=""))
        assert [int(row["label"]) for row in table] == labels.tolist()


def test_without_levels_there_is_no_list(show, case, tmp_path):
    tree, graph, _ = case
    page = show(saved(tree, tmp_path / "bare.html"))
    assert not page.locator("#levels").is_visible() and not page.locator("#structure").is_visible()
    before = told(page, "state")
    page.keyboard.press("l")
    assert told(page, "state") == before
    page = show(saved(tree, tmp_path / "none.html", graph=graph, levels=[], structure=CLEAR))
    assert not page.locator("#levels").is_visible() and page.locator("#structure").is_visible()


def test_what_may_be_chance_is_said_to_be(show, case, tmp_path):
    """One cluster, or a leaf each, come out again whatever the data are, so that no stability is told of them."""
    tree, _, levels = case
    levels = [np.zeros(N, int), levels[1], np.arange(N)]
    page = show(saved(tree, tmp_path / "tree.html", levels=levels, stability=[1, 0.3, 1], structure=NOTHING))
    assert [text for text, _ in rows(page)] == ["1 cluster", "4 clusters , stability 0.30", f"{N} clusters"]
    said = page.locator("#structure").inner_text()
    assert said.startswith("No structure beyond chance") and "may be chance" in said


def test_many_levels_in_a_narrow_window(show, case, tmp_path):
    """Nothing is wider than the window, and the page does not scroll to the level that is shown."""
    tree, graph, _ = case
    many = hypcse.levels(tree, graph, n_clusters=list(range(2, 22)))
    path = saved(tree, tmp_path / "tree.html", levels=many, automatic=many[-1])
    page = show(path, viewport={"width": 340, "height": 600})
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
    assert page.evaluate("document.scrollingElement.scrollTop") == 0
    box, last = page.locator("#level-list").bounding_box(), page.locator("#level-list button").last.bounding_box()
    assert last["x"] + last["width"] <= box["x"] + box["width"] + 1
    page.keyboard.press("l")
    settle(page)
    assert pressed(page) == [0] and page.evaluate("document.scrollingElement.scrollTop") == 0
