"""Training of the encoder judges: needs the extra ``train`` (torch, transformers).

`examples` holds texts and labels as pieces, `mistakes` makes bad sentences and changed
meanings to learn from, `network` is an encoder with heads, `fitting` trains it, and
`exporting` writes what `judges.encoder` reads. torch is imported inside functions.
"""
