"""Topics of texts: a clusterer that BERTopic takes, layers for Toponymy, and words that name the nodes of a tree."""

from hypcse.topics.clusterer import TopicClusterer, link_topics
from hypcse.topics.layers import TopicLayers
from hypcse.topics.naming import name_nodes, node_words

__all__ = ["TopicClusterer", "TopicLayers", "link_topics", "name_nodes", "node_words"]
