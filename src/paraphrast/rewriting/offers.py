"""Which styles there are, who writes them, and how to get a rewriter for one."""

from dataclasses import dataclass

from paraphrast import registry
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.rewriter import Family
from paraphrast.rewriting.document import DocumentRewriter


@dataclass(frozen=True, slots=True)
class Style:
    """A style one can rewrite into, and the rewriters that write it."""

    name: str
    summary: str
    rewriters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """An installed family of rewriters."""

    name: str
    summary: str
    styles: tuple[str, ...]


def load(to: str, *, rewriter: str | None = None) -> DocumentRewriter:
    """Return a rewriter of whole texts into the style ``to``.

    Without ``rewriter`` the first installed family (by name) that writes the style
    is taken.
    """
    families, broken = _families()
    if rewriter in broken:
        raise broken[rewriter]
    if rewriter is not None and rewriter not in families:
        raise unknown("rewriter", rewriter, families)
    offered = {name: family.styles() for name, family in families.items()}
    able = [name for name, known in offered.items() if to in known]
    if not able and broken:
        raise next(iter(broken.values()))
    if not able:
        raise unknown("style", to, {s for known in offered.values() for s in known})
    chosen = rewriter or able[0]
    if chosen not in able:
        raise ParaphrastError(
            f"rewriter {chosen!r} does not write {to!r}. "
            f"It writes: {', '.join(sorted(offered[chosen]))}. "
            f"{to!r} is written by: {', '.join(able)}."
        )
    return DocumentRewriter(families[chosen].load(to), style=to, family=chosen)


def styles() -> list[Style]:
    """List the styles of all installed rewriters."""
    found: dict[str, Style] = {}
    families, _ = _families()
    for name, family in families.items():
        for style, summary in family.styles().items():
            known = found.get(style, Style(style, summary, ()))
            found[style] = Style(style, known.summary, (*known.rewriters, name))
    return [found[style] for style in sorted(found)]


def rewriters() -> list[Offer]:
    """List the installed families of rewriters; a broken one says so."""
    families, broken = _families()
    offers = [
        Offer(name, family.summary, tuple(sorted(family.styles())))
        for name, family in families.items()
    ]
    return offers + [Offer(name, f"broken: {e}", ()) for name, e in broken.items()]


def _families() -> tuple[dict[str, Family], dict[str, ParaphrastError]]:
    """Return what loads and what does not: one broken plugin must not stop the rest."""
    families: dict[str, Family] = {}
    broken: dict[str, ParaphrastError] = {}
    for name in registry.names("rewriters"):
        try:
            families[name] = registry.find("rewriters", name)
        except ParaphrastError as error:
            broken[name] = error
    return families, broken
