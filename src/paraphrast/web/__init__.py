"""The studio and the service: pages and an HTTP API on top of everything else.

Nothing is computed here: rewriting comes from `rewriting`, agreement and judgments from
`study`, alignments from `align`. ``create_app`` in `app` assembles the application; the
packages that it needs are in the extra ``web``.
"""
