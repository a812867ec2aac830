"""Rewriting by models that are asked in words: ``large``, and ``llm`` for any other.

`rewriter` takes sentences to a `Writer` and checks what comes back; `llama` runs the
large pack, `endpoint` asks an OpenAI-compatible server, `fetching` brings packs here.
"""
