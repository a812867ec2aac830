"""Phrase-based rewriting (XU12, Koehn et al. 2003): learn from parallel text, decode.

The main path:

1. ``training``    parallel text -> links (`paraphrast.align`) -> ``extraction``
2. ``table``       phrase pairs with scores, mapped from disk
3. ``language_model``  n-gram models of the target style, mapped from disk
4. ``decoder``     the best sequence of phrases for a sentence
5. ``tuning``      weights of the features, by MERT or MIRA
6. ``rewriter``    case, spacing and protected spans around it all
"""
