"""The studio and the service: pages and an HTTP interface on top of everything else.

Nothing is computed here: rewriting comes from `rewriting`, agreement and judgments from
`study`, alignments from `align`. ``create_app`` in `app` puts it together; the packages
that it needs are in the extra ``web``.
"""
