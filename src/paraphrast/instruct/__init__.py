"""Rewriting by instruction-following models: ``large``, and ``llm`` for any other.

`rewriter` passes sentences to a `Writer` and checks its output; `llama` runs the large
pack, `endpoint` calls an OpenAI-compatible server, `fetching` downloads packs.
"""
