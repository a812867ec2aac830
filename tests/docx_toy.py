"""Small Word documents, written as the XML that they are."""

import io
import zipfile
from xml.sax.saxutils import escape

from lxml import etree

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = {"w": W, "r": R}
TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml."
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="{R}" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
LANGUAGE = '<w:lang w:val="en-GB" w:eastAsia="ja-JP"/>'
DEFAULTS = (
    "<w:docDefaults><w:rPrDefault><w:rPr>{}</w:rPr></w:rPrDefault></w:docDefaults>"
)
STYLES = DEFAULTS.format(LANGUAGE) + "".join(
    f'<w:style w:type="{kind}" w:styleId="{own}"><w:name w:val="{name}"/></w:style>'
    for kind, own, name in (
        ("paragraph", "berschrift1", "heading 1"),
        ("paragraph", "Listing", "Source Code"),
        ("character", "HTMLCode", "HTML Code"),
    )
)
PICTURE = "<w:r><w:drawing><picture/></w:drawing></w:r>"
BREAK = "<w:r><w:br/></w:r>"
FOOTNOTE = '<w:r><w:footnoteReference w:id="2"/></w:r>'


def run(text, look=""):
    """Return a run of text; ``look`` is what is in its properties."""
    properties = f"<w:rPr>{look}</w:rPr>" if look else ""
    text = escape(text)
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def link(*runs):
    return f'<w:hyperlink r:id="rId9">{"".join(runs)}</w:hyperlink>'


def field(result, code=" REF x "):
    def mark(kind):
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    instruction = f"<w:r><w:instrText>{code}</w:instrText></w:r>"
    return f"{mark('begin')}{instruction}{mark('separate')}{run(result)}{mark('end')}"


def paragraph(*parts, style="", properties=""):
    if style:
        properties += f'<w:pStyle w:val="{style}"/>'
    head = f"<w:pPr>{properties}</w:pPr>" if properties else ""
    return f"<w:p>{head}{''.join(parts)}</w:p>"


def make(*paragraphs, main="document.main+xml", files=(), **parts):
    """Return a document; ``parts`` are others, such as footnotes, as XML."""
    roots = {"document": ("w:document", f"<w:body>{''.join(paragraphs)}</w:body>")}
    roots["styles"] = ("w:styles", STYLES)
    tags = {"header": "w:hdr"}
    for name, inner in parts.items():
        roots[name] = (tags.get(name, f"w:{name}"), inner)
    types = "".join(
        f'<Override PartName="/word/{name}.xml" '
        f'ContentType="{TYPE}{main if name == "document" else name + "+xml"}"/>'
        for name in roots
    )
    contents = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package'
        f'/2006/content-types">{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="rId1" '
        f'Type="{R}/officeDocument" Target="word/document.xml"/></Relationships>',
        **{
            f"word/{name}.xml": f"<{tag} {SPACES}>{inner}</{tag}>"
            for name, (tag, inner) in roots.items()
        },
        **dict(files),
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            info = zipfile.ZipInfo(name)
            archive.writestr(info, text, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def part(data, name="word/document.xml"):
    """Return the root of a part of a document."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return etree.fromstring(archive.read(name))


def find(root, path):
    return root.xpath(path, namespaces=NAMES)


def texts(root, *, accepted=True):
    """Return the text of each paragraph with our changes accepted, or rejected.

    A line break is a space.
    """
    tag = "w:t" if accepted else "w:delText"
    outside = "w:del" if accepted else "w:ins[@w:author='Paraphrast']"
    wanted = f".//w:t[not(ancestor::{outside})] | .//{tag}[not(ancestor::{outside})]"
    return [
        "".join(node.text or " " for node in find(p, f"{wanted} | .//w:br"))
        for p in find(root, "//w:p")
    ]


def looks(root):
    """Return each word with its formatting and whether it is a link, sorted."""
    found = []
    for text in find(root, "//w:t"):
        properties = find(text, "../w:rPr/*")
        look = "".join(etree.tostring(p, method="c14n").decode() for p in properties)
        linked = bool(find(text, "ancestor::w:hyperlink"))
        found += [(word, look, linked) for word in (text.text or "").split()]
    return sorted(found)
