"""The front door: from a document to its rewrites and back to a file.

The path of a document: `records` reads it from arguments, stdin or a file; `document`
splits it into sentences, has them rewritten, and reassembles it; `display` formats it
for users. `offers` lists the available styles. Nothing is imported here, so that the
command line can show its help at once.
"""
