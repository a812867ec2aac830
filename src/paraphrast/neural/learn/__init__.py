"""``paraphrast learn``: teach a pack a new style from plain text in that style alone.

`texts` finds the sentences of a file, `back_paraphrase` makes plain versions of them,
`teach` learns the way back and writes the pack, `report` measures the new style with a
judge that it is given.
"""
