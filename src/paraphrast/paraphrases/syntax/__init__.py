"""Paraphrases from parse trees: word lattices and synchronous grammar rules.

`trees` reads and writes bracketed trees, `parser` makes them with Link Grammar,
`lattice` merges the trees of equivalent sentences (Pang, Knight & Marcu 2003), and
`grammar` takes rules from aligned trees (Cohn & Lapata 2007).
"""
