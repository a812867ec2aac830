"""Rewriting with neural models: STRAP's two steps, and one step distilled from them.

``rewriter`` is the main path of a sentence, told from top to bottom; ``family`` offers
it as a rewriter. ``models`` opens packs and runs them, ``candidates`` holds the search
attempts, repairs, guards and the choice, ``finetune`` trains and converts (extra
``train``), and ``learn`` teaches a pack a style from plain text.
"""
