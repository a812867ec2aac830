#!/bin/sh
# The six NMT models of Rao & Tetreault (2018) on one GPU, one process for each.
#
# Run    sh training/formality/train_nmt.sh DATA OUT SECONDS [OPTION of `train_nmt fit`...]
# DATA holds {formal,informal}{,-combined}.data (train_nmt prepare, the first two with
# word vectors, which the baseline does not use). OUT gets SYSTEM-STYLE.gz, the best model
# so far, and train.log, every EVERY seconds (10), so that a stopped machine loses little; WORK
# (a new folder of /tmp unless set) keeps checkpoints. Weights are rounded to 6 bits, as a
# file of 8 MB travels where one of 12 does not.
# Needs torch and NumPy; paraphrast itself need not be installed. Set PYTHON for another
# Python, DEVICE=cpu to try it.
set -u
[ $# -ge 3 ] || { echo "usage: $0 DATA OUT SECONDS [OPTION...]" >&2; exit 2; }
D=$(cd "$1" && pwd) || exit 1
mkdir -p "$2" && O=$(cd "$2" && pwd) || exit 1
S=$3
shift 3
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 1
export PYTHONPATH="$root:$root/src" PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1
W=${WORK:-$(mktemp -d)}
FIT="${PYTHON:-python3} -m training.formality.train_nmt fit --device ${DEVICE:-cuda}
  --bits 6 --epochs 60 --patience 6 --batch-tokens 12288 --learning-rate 0.0015"

fit() { # name, data, options
  name=$1; data=$2; shift 2
  $FIT "$D/$data.data" --seconds "$S" "$@" -o "$W/$name" > "$W/$name.log" 2>&1
  echo "$name: ended with $?" >> "$W/$name.log"
}

bring() { # what there is to OUT, whole files only
  cat "$W"/*.log > "$O/train.log"
  for model in "$W"/*/model; do
    name=$(basename "$(dirname "$model")")
    [ -f "$model" ] || continue
    [ -f "$O/$name.gz" ] && [ ! "$model" -nt "$O/$name.gz" ] && continue
    gzip -c "$model" > "$W/$name.gz" && mv "$W/$name.gz" "$O/$name.gz"
  done
}

for style in formal informal; do
  fit baseline-$style $style --no-vectors "$@" &
  fit copy-$style $style --copy "$@" &
  fit combined-$style $style-combined --copy "$@" &
done
while [ "$(grep -l "ended with" "$W"/*.log 2> /dev/null | wc -l)" -lt 6 ]; do
  sleep "${EVERY:-10}"
  bring
done
wait
bring
! grep "ended with [^0]" "$O/train.log"
