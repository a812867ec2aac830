"""The next rewriter, from the everyday corpus: teacher, checkers, student."""
