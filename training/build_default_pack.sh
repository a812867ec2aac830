#!/usr/bin/env bash
# Train and put together the default pack, `small`: about half an hour of one GPU.
#
# Run    bash training/build_default_pack.sh WORK        from the repository root
#        DEVICE=cpu runs it without a GPU; SECONDS_LEFT is how long the training may take
# Needs  WORK as training/README.md ("The default pack") prepares it, and a reader's
#        ratings of earlier rewrites: these cannot be made by a script
#
# Two runs do not give the same weights: stages stop on the clock. LOG.md says how the
# shipped run went.
set -euo pipefail
work=$1
python=${PYTHON:-python}
run() { "$python" -m "training.everyday.$1" "${@:2}"; }

# 1. A rater, rewrites by teacher and student, the student and the checker: each as soon as its inputs are there.
[ -e "$work/deadline" ] || echo $(($(date +%s) + ${SECONDS_LEFT:-1800})) > "$work/deadline"
LATER="$work/taught/kept.jsonl $work/inverse.jsonl" sh training/everyday/run.sh "$work" "${DEVICE:-cuda}" \
  build rater sampled drawn originals rate taught own student distilled

# 2. In eight bits, for CTranslate2.
run student.export --student "$work/student" -o "$work/student-int8"
run checker.export --model "$work/distilled" -o "$work/checker-int8"

# 3. What the checker says is weighed with the student's own probability by ratings of the student's outputs
#    (combination.json; it prints the curve from which card.toml's threshold was taken), then all is sealed.
run pack --student "$work/student-int8" --checker "$work/checker-int8" \
  --text corpora/everyday/texts.jsonl corpora/everyday/documents.jsonl "$work/taught/kept.jsonl" \
  -o "$work/small"
paraphrast rewrite --pack "$work/small" --to shakespeare "You are late."
