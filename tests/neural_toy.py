"""Ten pairs that we wrote, and tiny models that learn them by heart in seconds."""

import json
from dataclasses import replace
from pathlib import Path

from paraphrast.neural.models import pack
from paraphrast.neural.models.generation import Candidate
from paraphrast.neural.models.pack import Model, Step
from paraphrast.neural.rewriter import NeuralRewriter
from paraphrast.rewriter import Sentence

PACK = Path(__file__).parent / "packs" / "neural-1"
PAIRS = [
    ("you are late again", "thou art late again"),
    ("where are you going today?", "whither goest thou this day?"),
    ("I do not know him", "I know him not"),
    ("do you love me?", "dost thou love me?"),
    ("come here quickly", "come hither with haste"),
    ("your house is on fire", "thy house is aflame"),
    ("he has eaten the bread", "he hath eaten the bread"),
    ("why did you do it?", "wherefore didst thou do it?"),
    ("goodbye, my friend", "fare thee well, my friend"),
    ("Romeo has 12 horses", "Romeo hath 12 horses"),
]
TEXTS = [text for pair in PAIRS for text in pair]
SEED = 1


def unigram(path: Path, special=("<pad>", "</s>", "<unk>")):
    """Write a Unigram tokenizer of words and letters, as T5 and Marian have."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    letters = sorted(
        {*"".join(TEXTS), *"abcdefghijklmnopqrstuvwxyz0123456789:"} - {" "}
    )
    words = sorted({f"▁{word}" for text in TEXTS for word in text.split()})
    scored = [("▁", -3.0), *((x, -8.0) for x in letters), *((w, -5.0) for w in words)]
    vocabulary = [*((name, 0.0) for name in special), *scored]
    unknown = list(special).index("<unk>")
    made = Tokenizer(models.Unigram(vocabulary, unknown))
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    made.decoder = decoders.Metaspace()
    made.add_special_tokens(list(special))
    made.save(str(path))
    return made


def byte_level(path: Path):
    """Write a byte-level tokenizer, as GPT-2 and SmolLM2 have."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from tokenizers.trainers import BpeTrainer

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(
        vocab_size=360,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(TEXTS, trainer)
    made.save(str(path))
    return made


def base(folder: Path, kind: str) -> Path:
    """Write a tiny model without weights: t5, marian, gpt2, llama or qwen2."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tokenizer.json"
    if kind == "marian":  # which has its padding last
        made = unigram(path, ("</s>", "<unk>"))
        made.add_special_tokens(["<pad>"])
        made.save(str(path))
    else:
        made = unigram(path) if kind == "t5" else byte_level(path)
    table = {"vocab_size": made.get_vocab_size(), "model_type": kind} | CONFIGS[kind]
    if kind == "marian":
        last = made.get_vocab_size() - 1
        table |= {"eos_token_id": 0, "forced_eos_token_id": 0}
        table |= {"pad_token_id": last, "decoder_start_token_id": last}
    (folder / "config.json").write_text(json.dumps(table))
    return folder


CONFIGS = {
    "marian": {
        "d_model": 48,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 96,
        "decoder_ffn_dim": 96,
        "max_position_embeddings": 128,
        "dropout": 0.0,
        "is_encoder_decoder": True,
        "scale_embedding": True,
    },
    "t5": {
        "d_model": 48,
        "d_kv": 12,
        "d_ff": 96,
        "num_layers": 1,
        "num_heads": 4,
        "feed_forward_proj": "gated-gelu",
        "dropout_rate": 0.0,
        "is_encoder_decoder": True,
        "pad_token_id": 0,
        "eos_token_id": 1,
        "decoder_start_token_id": 0,
    },
    "gpt2": {
        "n_embd": 64,
        "n_layer": 2,
        "n_head": 4,
        "n_positions": 128,
        "resid_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
        "bos_token_id": 0,
        "eos_token_id": 0,
    },
    "llama": {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "tie_word_embeddings": True,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "pad_token_id": 0,
    },
}
CONFIGS["qwen2"] = CONFIGS["llama"]


def pairs_file(path: Path, style: str = "") -> Path:
    """Write the pairs with tabs, and a style if there is one."""
    lines = ["\t".join([s, t, style] if style else [s, t]) for s, t in PAIRS]
    path.write_text("\n".join(lines) + "\n")
    return path


class FakeEngine:
    """An engine that answers as it is told, and remembers what it was asked.

    ``answer(method, request)`` gives the texts, ``score(request, text)`` the
    log-probability of a text; ``totals`` are those of the answers, by rank.
    """

    def __init__(self, answer, *, score=lambda request, text: 0.0, prompter=None):
        self.answer, self.scoring, self.prompter = answer, score, prompter
        self.asked, self.scored = [], []
        self.totals = [-0.1 * rank for rank in range(9)]

    def candidates(self, requests, decoding, *, seed=1):
        self.asked += [(decoding.method, request.text) for request in requests]
        return [
            [
                Candidate(text, self.totals[rank], 4)
                for rank, text in enumerate(self._texts(decoding.method, request))
            ]
            for request in requests
        ]

    def _texts(self, method, request):
        texts = self.answer(method, request)
        return texts[:1] if method == "greedy" else texts

    def score(self, requests, texts):
        self.scored += [request.text for request in requests]
        return list(map(self.scoring, requests, texts))


class FakeChecker:
    """A checker of meaning that says what ``same(source, text)`` says."""

    def __init__(self, same):
        self.same, self.asked = same, []

    def score(self, sources, candidates):
        texts = [candidate.text for candidate in candidates]
        self.asked += zip(sources, texts, strict=True)
        return [float(self.same(s, t)) for s, t in zip(sources, texts, strict=True)]


def fake_rewriter(
    answer, *, score=None, known=None, checker=None, settings=None, **options
):
    """Return a rewriter whose model answers (method, text) as told, and its engine."""
    opened = pack.load_pack(PACK, "old")
    engine = FakeEngine(
        lambda method, request: answer(method, request.text),
        score=score or (lambda request, text: 0.0),
        prompter=opened.prompter,
    )
    chosen = replace(opened.settings, **(settings or {}))
    model = Model((Step(engine, "old"),), chosen, known, checker)
    return NeuralRewriter(model, **options), engine


def rewrite_best(rewriter, text):
    """Return the best rewrite of a text."""
    return rewriter([Sentence(text)], alternatives=1, seed=1)[0][0]
