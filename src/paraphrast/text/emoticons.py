r"""Patterns of emoticons and emoji, for protection and sentence splitting.

An emoticon stands alone: no letter or digit touches it, so that ``10:30``, ``(8)``
and ``C:\`` are none. An emoji is matched whole, with its skin colour, joined
parts or flag. Both are fragments for the ``regex`` package, without groups.
"""

_EYES = r">?[:;=]"
_NOSE = r"[-^o'~]?"
_MOUTH = r"(?:[)(\]\[}{]{1,5}|[/\\|*@$<>]|[DPpOoXx3cSs])"
_UPRIGHT = r"\^[_.-]{0,3}\^|-[_.]{1,3}-|[oO0][_.][oO0]|[Tt]_+[Tt]|>[_.]{1,3}<|\\o/"
_OTHERS = r"[xX]D+|<3+|</3|(?<!\()8[-^]?\)|[:;=]'-?[()]|¯\\_\(ツ\)_/¯"

EMOTICON = rf"(?<![\w:;=])(?:{_OTHERS}|{_EYES}{_NOSE}{_MOUTH}|{_UPRIGHT})(?![\w/])"

_PICTURE = r"(?![©®™])\p{Extended_Pictographic}[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*+"
EMOJI = (
    rf"(?:\p{{Regional_Indicator}}{{2}}|[0-9#*]\ufe0f?\u20e3"
    rf"|{_PICTURE}(?:\u200d{_PICTURE})*+)"
)
