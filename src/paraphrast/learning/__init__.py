"""``paraphrast learn``: a new style from plain text, and what became of it.

`texts` finds the sentences of a file, `paraphrast.neural.learn.teaching` learns from
them, and `report` measures the new style with a fresh classifier and the small judge.
This is the one place where a rewriter and a judge meet: the judge never chooses.
"""
