"""Training of the encoder judges: needs the extra ``train`` (torch, transformers).

`examples` holds texts and labels as tokens, `network` is an encoder with heads,
`fitting` trains it on several tasks at once, `classifier` makes a judge of it, and
`exporting` writes it for CTranslate2.
"""
