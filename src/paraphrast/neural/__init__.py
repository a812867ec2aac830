"""Rewriting with neural models: STRAP's two steps, and one step distilled from them.

``rewriter`` is the main path of a sentence, from top to bottom; ``family`` registers it
as a rewriter. ``models`` opens packs and runs them, ``candidates`` has the search
attempts, repairs, guards and the choice, ``finetune`` trains and converts (extra
``train``), and ``learn`` trains a pack on a style from plain text.
"""
