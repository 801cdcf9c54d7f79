"""A topic tree of texts.

Which topics does a pile of texts hold, and which topics belong together?

We make 600 short texts of nine topics in three fields: words of the topic, words of its field, and words that everybody
uses. TF-IDF and a truncated SVD turn a text into 20 numbers. With embeddings from a sentence model, start at the fit.

The first level has the three fields and the main level the nine topics. Nobody told the model these numbers.
`hypcse.topics.name_nodes` names a node by the words that set it apart from its siblings in the tree.

Try shorter texts, `n_words=12`. For BERTopic, pass `hdbscan_model=hypcse.topics.TopicClusterer()`.
"""

# %% Make the texts
import numpy as np
from matplotlib import pyplot
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

import hypcse

FIELDS = {
    "theory data measure proof": ["star planet orbit galaxy", "gene cell protein genome", "sea ice carbon climate"],
    "match season coach medal": ["goal striker keeper penalty", "serve racket net volley", "bicycle sprint climb gear"],
    "kitchen taste recipe dish": ["flour oven dough yeast", "grape cellar barrel vintage", "soup onion carrot broth"],
}
rng = np.random.default_rng(0)
n_words, topic = 25, rng.integers(9, size=600)
words = np.array([f"{field} {own} people year time way".split() for field, topics in FIELDS.items() for own in topics])
share = np.repeat([0.25, 0.4, 0.35], 4) / 4  # of words of the field, of the topic, and of everybody's
texts = [" ".join(rng.choice(words[k], n_words, p=share)) for k in topic]
print(texts[0])

# %% From texts to a tree
X = normalize(TruncatedSVD(20, random_state=0).fit_transform(TfidfVectorizer().fit_transform(texts)))
model = hypcse.topics.TopicClusterer().fit(X)
print("topics at each level:", [int(labels.max()) + 1 for labels in model.levels_])

# %% Name the nodes of the first two levels
# In the order of the tree: a field, then its topics.
tree = model.tree_
names = hypcse.topics.name_nodes(model, texts, model.levels_[:2])
for node in sorted(names, key=lambda node: (tree.first_positions[node], -tree.sizes[node])):
    is_topic = len(set(model.labels_[tree.leaves(node)])) == 1
    print("    " * is_topic + f"{tree.sizes[node]} texts: {names[node]}")

# %% Draw the tree over the topics
# One text stands for each topic of the main level, and the others are pruned. The colors are the fields.
one = {int(tree.leaves(node).min()): name for node, name in names.items()}  # a topic comes after its field
one = {text: one[text] for text in sorted(one)}
figure, ax = pyplot.subplots(figsize=(7, 3.6), layout="constrained")
fields = model.levels_[0][list(one)]
hypcse.plot.dendrogram(tree.prune(list(one)), fields, names=list(one.values()), orientation="left", legend=False, ax=ax)

# %% [save]
import sys

if len(sys.argv) > 1:
    figure.savefig(f"{sys.argv[1]}/topics.png", dpi=100)
