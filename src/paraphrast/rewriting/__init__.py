"""The front door: from a document to its rewrites and back to a file.

A document's way: `records` reads it from arguments, stdin or a file; `document`
cuts it into sentences, has them rewritten, and puts it together again; `display`
shows it to people. `offers` knows which styles there are. Nothing is imported here,
so that the command line can show its help at once.
"""
