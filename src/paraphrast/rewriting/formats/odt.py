"""OpenDocument texts (odt): their XML edited where its text stands.

Notes, annotations, text boxes and fields are not rewritten.
"""

from paraphrast.rewriting.formats.epub import PagesFormat
from paraphrast.rewriting.formats.markup import Vocabulary, names
from paraphrast.rewriting.formats.segments import Role

ODT = Vocabulary(
    inline=frozenset(("text:span", "text:a", "text:meta", "text:ruby-base")),
    links=frozenset(("text:a",)),
    opaque=names(
        "text:s text:soft-page-break text:bookmark text:bookmark-start "
        "text:bookmark-end text:reference-mark text:reference-mark-start "
        "text:reference-mark-end text:note text:ruby text:change text:change-start "
        "text:change-end text:page-number text:page-count text:date text:time "
        "text:sequence text:bookmark-ref text:note-ref text:sequence-ref "
        "text:author-name text:title text:subject text:file-name text:chapter "
        "text:user-field-get text:variable-get text:variable-set text:placeholder "
        "office:annotation office:annotation-end draw:frame draw:a"
    ),
    skipped=names(
        "text:tracked-changes text:table-of-content text:alphabetical-index "
        "text:bibliography text:illustration-index text:table-index office:scripts "
        "office:font-face-decls office:automatic-styles office:styles "
        "office:meta"
    ),
    roles={"text:h": Role.HEADING, "text:list-item": Role.LABEL}
    | dict.fromkeys(("table:table-cell", "style:header", "style:footer"), Role.LABEL),
)

format = PagesFormat(("content.xml",), ODT)
