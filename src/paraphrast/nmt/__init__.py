"""The NMT systems of Rao & Tetreault (2018): LSTM encoder–decoders with attention.

The main path:

1. ``surface``        a sentence -> words, each protected span one of them; and back
2. ``training_data``  pairs -> a shared vocabulary and word indices, in one file
3. ``training``       the network and its training, the only part that needs torch
4. ``weights``        trained weights in 8 bits, in one file
5. ``inference``      the same network in NumPy
6. ``beam_search``    the best outputs for a sentence
7. ``rewriter``       protected spans, checks and explanations around it all

``building`` makes a pack from pairs, and ``augmentation`` makes pairs for the combined
system: back-translations and the outputs of other rewriters.
"""
