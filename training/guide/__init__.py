"""The guide: the reranker that selects training data and never judges."""
