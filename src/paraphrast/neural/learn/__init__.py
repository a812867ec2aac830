"""``paraphrast learn``: train a pack on a new style from plain text alone.

`texts` finds the sentences of a file, `back_paraphrase` makes plain versions of them,
`teach` trains the reverse direction and writes the pack, `report` evaluates the new
style with a given judge.
"""
