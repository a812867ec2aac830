"""The front door: from a document to its rewrites and back to a file.

A document's way: `records` reads it from arguments, stdin or a file; `document`
cuts it into sentences, has them rewritten, and puts it together again; `journal`
keeps what is done so that a long job can go on; `display` shows it to people.
"""

from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.rewriting.offers import load, rewriters, styles

__all__ = ["DocumentRewriter", "load", "rewriters", "styles"]
