"""What is put right in a candidate before it is judged: an ordered list of repairs.

A `Repair` takes a source and what was written for it, and returns the text without one
kind of slip. It leaves alone what the source itself has. `benchmarks/guards.py` counts
what each of them changes; one that no longer earns its place is deleted here, with its
function and its test.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from paraphrast.neural.candidates.repairs import additions, grammar, marks, quotes


@dataclass(frozen=True, slots=True)
class Repair:
    """A named repair: ``apply(source, text)`` is the text, repaired."""

    name: str
    apply: Callable[[str, str], str]


REPAIRS = (
    Repair("hashtags", additions.replace_hashtags),
    Repair("wrapped-quotes", quotes.remove_wrapping_quotes),
    Repair("unpaired-quotes", quotes.remove_unpaired_quotes),
    Repair("open-quotes", quotes.match_open_quotes),
    Repair("speaker", additions.remove_speaker),
    Repair("address", additions.remove_address),
    Repair("fillers", additions.thin_fillers),
    Repair("stutter", additions.shorten_stutters),
    Repair("pauses", additions.thin_pauses),
    Repair("it", additions.remove_it),
    Repair("cannot", grammar.join_cannot),
    Repair("doubled-word", grammar.remove_doubled_words),
    Repair("past-tense", grammar.respell_past_tense),
    Repair("verb-agreement", grammar.inflect_verbs),
    Repair("thine", grammar.respell_thine),
    Repair("final-mark", marks.match_final_mark),
    Repair("title", marks.remove_stop_of_title),
    Repair("curly-quotes", quotes.curl_quotes),
)


def repair(source: str, text: str, repairs: Iterable[Repair] = REPAIRS) -> str:
    """Return a text with its slips repaired, in the light of its source."""
    for entry in repairs:
        text = entry.apply(source, text)
    return text
