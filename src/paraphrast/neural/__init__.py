"""Rewriting with neural models: STRAP's two steps, and one step distilled from them.

The way of a sentence, with the file that does each step:

1. ``screening`` says whether it can be rewritten, and cuts a long one.
2. ``surface`` hides what must stay; ``prompts`` and ``tokens`` make pieces of the rest.
3. ``int8`` runs the pack's model (``model``) with CTranslate2 and gives candidates.
4. ``rerank`` chooses among them; ``checks`` refuses what loses names or numbers.
5. ``rewriter`` puts the sentence together again; ``family`` offers all that.

Training goes: ``examples`` and ``batches``, ``training`` (torch), ``converting``.
Only ``torch_engine``, ``training`` and ``converting`` need the extra ``train``.
"""
