"""Encoders that judge: text to tokens, tokens to vectors, vectors to scores.

`text.wordpiece` cuts text, `running` turns tokens into vectors (CTranslate2 in int8),
`heads` reads scores from the vectors, and `folder` puts them behind the `Judge` that
the metrics know. Nothing here needs torch; `judges.training` does.
"""
