"""Typed access to the corpora of the catalogue, grouped by what they hold.

Every loader takes the folder that `paraphrast.corpora.catalogue.locate` returns, or
the user's own, and reads no more than it is asked for. ``pairs_of`` and
``texts_of`` are what `catalogue.load_pairs` and `catalogue.load_texts` call.
"""
