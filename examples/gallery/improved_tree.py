"""Somebody else's tree, improved.

You have a dendrogram from SciPy. How good is it, and can it be made better?

Structural entropy gives one number to any tree over the points of a graph: the bits per step that it takes to describe
a random walk on the graph, when the tree is the address book. Lower is better, and no labels are needed. We score four
linkages of 1,797 images of digits. `hypcse.refine` then moves subtrees until the entropy falls no more. It starts from
your tree and from some of its own, and returns the best that it finds. So the result is never worse than your tree.

All four end at the same entropy, below that of every linkage. The digits, which nothing above has seen, agree:
dendrogram purity rises as well.

Try your own linkage matrix: `hypcse.Tree.from_linkage(Z)`, and `tree.to_linkage()` to go back to SciPy.
"""

# %% Score four trees, and refine each
from matplotlib import pyplot
from scipy.cluster.hierarchy import linkage

import hypcse

X, digits = hypcse.datasets.load("optical-digits")
graph = hypcse.similarity_graph(X)
before, after = {}, {}
for method in ("single", "complete", "average", "ward"):
    before[method] = hypcse.Tree.from_linkage(linkage(X, method))
    after[method] = hypcse.refine(before[method], graph)
    for when, tree in {"SciPy": before[method], "refined": after[method]}.items():
        scores = hypcse.score(tree, graph=graph, labels=digits)
        bits, purity = scores["structural_entropy"], scores["dendrogram_purity"]
        print(f"{method:8} {when:7}: {bits:.3f} bits, purity {purity:.3f}")

# %% Draw one of them, and the entropy of all
# The colors are the digits. Gray branches hold several of them.
figure, axes = pyplot.subplots(1, 3, figsize=(11, 3.8), layout="constrained", width_ratios=(1, 1.2, 0.9))
for ax, trees, title in zip(axes, (before, after), ("Complete linkage", "The same, refined"), strict=False):
    hypcse.plot.dendrogram(trees["complete"], digits, n_clusters=20, ax=ax, legend=ax is axes[1], title=title)
for trees, name, color in ((before, "SciPy", "#d55e00"), (after, "refined", "#0072b2")):
    bits = [hypcse.structural_entropy(tree, graph) for tree in trees.values()]
    axes[2].plot(bits, list(trees), "o", color=color, label=name)
axes[2].set(title="Structural entropy in bits", ylim=(-0.6, 3.6), xlim=(1.8, 3))
axes[2].legend()

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/improved_tree.png", dpi=85)
