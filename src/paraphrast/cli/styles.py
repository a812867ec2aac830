"""The commands ``styles`` and ``rewriters``."""

from dataclasses import asdict
from pathlib import Path

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe

WIDTH = 14  # of the column of names


@describe
def styles(
    text: str | None = None,
    packs: options.Packs = None,
    as_json: options.Json = False,
) -> None:
    """List the available target styles, or show a text in each of them.

    Example: paraphrast styles "Where were you last night?"

    Options:
        text [TEXT]: Text to show in every style.
    """
    from paraphrast.rewriting.offers import styles as list_styles

    if text is not None:
        _show_every_style(text, packs, as_json=as_json)
        return
    offered = list_styles(packs)
    lines = (
        f"{s.name:<{WIDTH}}{s.summary} [{', '.join(s.rewriters)}]" for s in offered
    )
    printing.print_report([asdict(s) for s in offered], lines, as_json=as_json)


def _show_every_style(text: str, packs: Path | None, *, as_json: bool) -> None:
    from paraphrast.rewriting.offers import in_every_style

    examples = in_every_style(text, packs)
    if as_json:
        records = [asdict(example) for example in examples]
        printing.print_json({"source": text, "styles": records}, indent=2)
        return
    print(text)
    lacking: dict[str, list[str]] = {}
    for example in examples:
        if example.text:
            why = f"  (unchanged: {example.why})" if example.why else ""
            lines = example.text.replace("\n", f"\n{'':<{WIDTH}}")  # of verse
            print(f"{example.style:<{WIDTH}}{lines}{why}", flush=True)
        else:
            lacking.setdefault(example.why, []).append(example.style)
    for why, names in lacking.items():
        print(f"Not yet: {', '.join(names)}. {why}")


def rewriters(packs: options.Packs = None, as_json: options.Json = False) -> None:
    """List the installed rewriters with their styles.

    Example: paraphrast rewriters
    """
    from paraphrast.rewriting.offers import rewriters as list_rewriters

    offered = list_rewriters(packs)
    lines = (
        f"{o.name:<{WIDTH}}{o.summary} [{', '.join(o.styles) or 'needs a pack'}]"
        for o in offered
    )
    printing.print_report([asdict(o) for o in offered], lines, as_json=as_json)
