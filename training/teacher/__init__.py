"""The teacher: a large model whose paraphrases and samples the rewriter learns from."""
