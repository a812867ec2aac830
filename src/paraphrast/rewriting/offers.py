"""The available styles and their rewriters, and how to load one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from paraphrast import preferences, registry
from paraphrast.errors import ParaphrastError, unknown
from paraphrast.rewriter import Configurable, Family, PackFamily
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.storage import packs

_RENAMED = {"modern": "plain", "neutral": "plain"}


@dataclass(frozen=True, slots=True)
class Style:
    """A target style, with a summary and its rewriters."""

    name: str
    summary: str
    rewriters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """An installed family of rewriters."""

    name: str
    summary: str
    styles: tuple[str, ...]


def load(
    to: str,
    *,
    using: str | None = None,
    home: Path | None = None,
    settings: Mapping[str, object] | None = None,
) -> DocumentRewriter:
    """Return a rewriter of whole texts into the style ``to``.

    Without ``using`` it is the rewriter of the user's settings, or else the first
    installed family (by name) that writes the style, families with packs first: rules
    know less than a model, and are the fallback where its rewrites are rejected. An
    ``explicit`` family is only used when named. Packs are searched for in ``home``;
    ``settings`` are for families with settings.
    """
    families, broken = _families(home)
    using = using or preferences.load().using or None
    if using in broken:
        raise broken[using]
    if using is not None and using not in families:
        raise unknown("rewriter", using, families)
    asked = [using] if using else _find_default(families)
    if settings:
        families[using or ""] = _configure(families.get(using or ""), using, settings)
    for name in asked:
        if to in families[name].styles():
            return DocumentRewriter(families[name].load(to), style=to, family=name)
    raise _cannot_write(to, using, families, broken)


def _find_default(families: Mapping[str, Family]) -> list[str]:
    """Return the families to try when none was named, in order."""
    names = [name for name in families if not _is_explicit(families[name])]
    return sorted(names, key=lambda name: not isinstance(families[name], PackFamily))


def _configure(
    family: Family | None, name: str | None, settings: Mapping[str, object]
) -> Family:
    if not isinstance(family, Configurable):
        raise ParaphrastError(
            f"rewriter {name or 'by default'!r} has no settings "
            f"{', '.join(sorted(settings))}. Choose one that has with --using, as in "
            "`--using llm`."
        )
    return family.configured(settings)


def _is_explicit(family: Family) -> bool:
    return getattr(family, "explicit", False)


def _cannot_write(
    to: str,
    using: str | None,
    families: Mapping[str, Family],
    broken: Mapping[str, ParaphrastError],
) -> ParaphrastError:
    """Return the error for a style that no rewriter, or not this one, writes."""
    asked = [families[using]] if using else sorted(families.values(), key=_is_explicit)
    if to in _RENAMED and using is None:
        return ParaphrastError(f"the style {to!r} was removed. Use {_RENAMED[to]!r}.")
    lacking = [line for family in asked for line in _missing(family, to)]
    if lacking:
        return ParaphrastError(f"there is no pack for {to!r} yet. {lacking[0]}")
    offered = {name: family.styles() for name, family in families.items()}
    able = [name for name, styles in offered.items() if to in styles]
    usual = [name for name in able if not _is_explicit(families[name])]
    if not able and broken:
        return next(iter(broken.values()))
    if using is None and able:
        return ParaphrastError(
            f"{to!r} is written only by {', '.join(able)}. Choose it with --using."
        )
    if using is None or (offered[using] and not able):
        return unknown("style", to, {s for styles in offered.values() for s in styles})
    others = (
        f"{to!r} is written by: {', '.join(usual)}."
        if usual
        else "Leave out --using to see the available rewriters."
    )
    return ParaphrastError(
        f"rewriter {using!r} does not write {to!r}. "
        f"It writes: {', '.join(sorted(offered[using])) or 'nothing yet'}. {others}"
    )


def load_pack(
    pack: str, *, to: str | None = None, home: Path | None = None
) -> DocumentRewriter:
    """Return a rewriter of whole texts from a pack, given by its folder or name.

    ``to`` chooses among the styles of a pack that writes more than one.
    """
    opened = packs.find(pack, home or packs.HOME)
    kind, written = opened.about.kind, opened.about.styles
    family = registry.find("rewriters", kind)
    if not isinstance(family, PackFamily):
        raise ParaphrastError(f"{opened.folder}: rewriter {kind!r} does not use packs.")
    if to is None and len(written) != 1:
        raise ParaphrastError(
            f"{opened.folder} writes {', '.join(written)}. Choose one with --to."
        )
    style = to or next(iter(written))
    if style not in written:
        raise unknown("style of the pack", style, written)
    return DocumentRewriter(
        family.load_pack(opened.folder, style), style=style, family=kind
    )


def identify_packs(
    rewriter: DocumentRewriter, *, pack: str | None = None, home: Path | None = None
) -> str:
    """Return a digest of the manifests of the packs that a rewriter may use."""
    folder = home or packs.HOME
    listed = (
        [packs.find(pack, folder)]
        if pack is not None
        else [
            installed
            for folder_of_packs in (folder, packs.BUNDLED)
            for installed in packs.list_installed(folder_of_packs, kind=rewriter.family)
        ]
    )
    hashes = [p.sha256 for p in listed if rewriter.style in p.about.styles]
    hashes.append(getattr(rewriter.rewriter, "identity", ""))
    return sha256(" ".join(hashes).encode()).hexdigest()


def find_pack(
    rewriter: DocumentRewriter, *, home: Path | None = None
) -> packs.Pack | None:
    """Return the pack that `load` uses for a rewriter, if any."""
    able = [
        pack
        for folder in (home or packs.HOME, packs.BUNDLED)
        for pack in packs.list_installed(folder, kind=rewriter.family)
        if rewriter.style in pack.about.styles
    ]
    return packs.choose(able, rewriter.style) if able else None


def styles(home: Path | None = None) -> list[Style]:
    """List the styles of all installed rewriters and of the packs in ``home``."""
    result: dict[str, Style] = {}
    families, _ = _families(home)
    for name, family in families.items():
        for style, summary in family.styles().items():
            listed = result.get(style, Style(style, summary, ()))
            result[style] = Style(style, listed.summary, (*listed.rewriters, name))
    return [result[style] for style in sorted(result)]


def default_styles(home: Path | None = None) -> list[str]:
    """List the styles that are available without naming a rewriter."""
    default = set(_find_default(_families(home)[0]))
    return [s.name for s in styles(home) if not default.isdisjoint(s.rewriters)]


@dataclass(frozen=True, slots=True)
class Example:
    """A text in one style, by its default rewriter, or the reason why not."""

    style: str
    rewriter: str
    text: str
    why: str = ""


def in_every_style(text: str, home: Path | None = None) -> Iterator[Example]:
    """Yield a text in every available style, then the styles without their packs."""
    families, _ = _families(home)
    there = default_styles(home)
    for style in there:
        rewriter = load(style, home=home)
        rewrite = rewriter.rewrite(text)
        yield Example(style, rewriter.family, rewrite.text, rewrite.why)
    lacking: dict[str, tuple[str, str]] = {}
    for name, family in families.items():
        lines = family.missing() if isinstance(family, PackFamily) else {}
        for lacked, line in lines.items():
            lacking.setdefault(lacked, (name, line))
    for lacked in sorted(lacking.keys() - set(there)):
        name, line = lacking[lacked]
        yield Example(lacked, name, "", line)


def rewriters(home: Path | None = None) -> list[Offer]:
    """List the installed families of rewriters, usable ones first.

    A broken one says so, and one without its packs has no styles.
    """
    families, broken = _families(home)
    offers = [
        Offer(name, family.summary, tuple(sorted(family.styles())))
        for name, family in families.items()
    ]
    offers.sort(key=lambda offer: not offer.styles)
    return offers + [Offer(name, f"broken: {e}", ()) for name, e in broken.items()]


def _missing(family: Family, style: str) -> list[str]:
    """Return how to get the pack that a family needs for a style."""
    lines = family.missing() if isinstance(family, PackFamily) else {}
    return [lines[style]] if style in lines else []


def _families(
    home: Path | None,
) -> tuple[dict[str, Family], dict[str, ParaphrastError]]:
    """Return the families that load, and those that do not, such as broken plugins."""
    families: dict[str, Family] = {}
    broken: dict[str, ParaphrastError] = {}
    for name in registry.names("rewriters"):
        try:
            family = registry.find("rewriters", name)
            located = home is not None and isinstance(family, PackFamily)
            families[name] = family.at(home) if located else family
        except ParaphrastError as error:
            broken[name] = error
    return families, broken
