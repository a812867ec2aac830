"""Encoders that judge: text to tokens, tokens to vectors, vectors to scores.

`text.wordpiece` tokenises, `running` turns tokens into vectors (CTranslate2 in int8),
`heads` computes scores from the vectors, and `folder` loads them as the `Judge` that
the metrics use. Nothing here needs torch; `judges.training` does.
"""
