#!/bin/sh
# All stages on one GPU, in the background, each as soon as its inputs are there. A stage
# that is done is skipped, so the script may be started again; a failed stage stops what
# waits for it. Logs are in WORK/logs. Parts may be named; without names all are run.
#
# Run    sh training/everyday/run.sh WORK [cuda|cpu] [PART...]
# WORK holds parts/ (teacher.shrink; a file `complete` when all are there),
# models/{minilm,student,student-tokenizer}, texts.jsonl, documents.jsonl and
# contrast.jsonl (the corpus), ratings.jsonl and rated-requests.jsonl (ratings),
# open.jsonl (sources), reading.jsonl (requests to be read), earlier.jsonl (pairs of an
# earlier teacher, may be empty), deadline (seconds since 1970 by which all must be
# done) and perhaps compared.safetensors (an earlier teacher), and gets the rest.
# Set GUARD, MANNER, TUNE, SAME, PREFER, BEST, OPEN, PAIRS, STUDENT and so on to change a
# stage's options, PYTHON for another Python. Needs torch, transformers, regex, ftfy and
# snowballstemmer; paraphrast itself need not be installed.
set -u
W=$(cd "$1" && pwd)
D=${2:-cuda}
shift; [ $# -gt 0 ] && shift
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 1
export PYTHONPATH="$root:$root/src${SITE:+:$SITE}" PYTHONUNBUFFERED=1 HF_HUB_OFFLINE=1
export TOKENIZERS_PARALLELISM=true PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
P=${PYTHON:-python3}
E="$P -m training.everyday"
K=${WORKERS:-6}
T="--texts $W/texts.jsonl"
L="--documents $W/documents.jsonl"
mkdir -p "$W/logs" "$W/out"

stage() { # output, name, command
  output=$1; name=$2; shift 2
  if [ -e "$output" ]; then return 0; fi
  echo "$(date +%H:%M:%S) $name begins" >> "$W/logs/stages"
  if "$@" > "$W/logs/$name.log" 2>&1; then
    echo "$(date +%H:%M:%S) $name is done" >> "$W/logs/stages"
  else
    echo "$(date +%H:%M:%S) $name failed" | tee -a "$W/logs/stages" "$W/logs/failed-$name"
    exit 1
  fi
}

await() { # paths
  for path in "$@"; do
    while [ ! -e "$path" ]; do sleep 0.5; done
  done
}

left() { echo $(($(cat "$W/deadline") - $(date +%s) - $1)); }

own() {
  await "$W/texts.jsonl"
  for n in 0 1 2; do
    (stage "$W/own/own-$n.jsonl" own-$n $E.student.pairs own $T $L --epochs $n \
      --student "$W/models/student-tokenizer" -o "$W/own") &
  done
  wait
}

OWN="$W/own/own-0.jsonl $W/own/own-1.jsonl $W/own/own-2.jsonl"

pairs() {
  stage "$W/requests/open-5.jsonl" requests $E.requests $T --open "$W/open.jsonl" \
    --shards 6 --seed 2 -o "$W/requests" ${REQUESTS:---samples 14000 --polish 8000}
  stage "$W/pairs/style-test.jsonl" manner-pairs $E.checker.manner $T \
    --ratings "$W/ratings.jsonl" --rated 2 -o "$W/pairs"
}

guard_pairs() {
  stage "$W/pairs/held-few.jsonl" pairs $E.checker.pairs $T $L --roles guards \
    --contrast "$W/contrast.jsonl" --ratings "$W/ratings.jsonl" --workers $K \
    -o "$W/pairs" ${EXAMPLES:---each 30 --few 65000 --rated 2}
}

guard() {
  await "$W/pairs/held-few.jsonl"
  await "$W/models/minilm/config.json"
  stage "$W/guard" guard $E.checker.encoder --base "$W/models/minilm" --device $D \
    --pairs "$W/pairs/guards-train.jsonl" -o "$W/guard" \
    --held "$W/pairs/guards-test.jsonl" "$W/pairs/rated-test.jsonl" \
    ${GUARD:---seconds 165 --epochs 3 --rate 2e-4}
}

manner() {
  await "$W/pairs/fluency-test.jsonl"
  await "$W/models/minilm/config.json"
  stage "$W/manner" manner $E.checker.encoder --base "$W/models/minilm" --device $D \
    --pairs "$W/pairs/manner-train.jsonl" -o "$W/manner" \
    --held "$W/pairs/style-test.jsonl" "$W/pairs/fluency-test.jsonl" \
    ${MANNER:---seconds 105 --epochs 2 --rate 1.5e-4}
}

control() {
  await "$W/models/student/config.json" $OWN "$W/requests/dev.jsonl"
  stage "$W/control" control $E.student.train --base "$W/models/student" --device $D \
    --pairs $OWN $T --requests "$W/requests/dev.jsonl" -o "$W/control" \
    ${CONTROL:---seconds 140 --epochs 6}
}

first() {
  await "$W/models/student/config.json" $OWN "$W/requests/dev.jsonl"
  stage "$W/first" first $E.student.train --base "$W/models/student" --device $D \
    --pairs $OWN --taught "$W/earlier.jsonl" $T \
    --requests "$W/requests/dev.jsonl" -o "$W/first" ${FIRST:---seconds 200 --epochs 6}
}

build() {
  await "$W/parts/complete"
  stage "$W/base" build $E.teacher.build --parts "$W/parts" -o "$W/base" --device $D
}

tune() {
  await "$W/base"
  stage "$W/adapter.json" tune $E.teacher.tune rewrite --base "$W/base" --device $D \
    $T $L -o "$W/adapter.safetensors" \
    ${TUNE:---seconds 230 --interval 45 --rank 32 --alpha 64 --dropout 0.1}
  stage "$W/out/tuned.jsonl" greedy $E.teacher.rewrite --base "$W/base" --device $D \
    --adapter "$W/adapter.safetensors" -o "$W/out/tuned.jsonl" --greedy \
    --requests "$W/requests/dev.jsonl" "$W/reading.jsonl" --workers $K
}

same() {
  await "$W/base"
  stage "$W/same.json" same $E.teacher.tune same --base "$W/base" --device $D \
    --pairs "$W/pairs/guards-train-few.jsonl" --held "$W/pairs/held-few.jsonl" \
    -o "$W/same.safetensors" \
    ${SAME:---seconds 200 --epochs 1 --interval 50 --tokens 16000 --dropout 0.1}
}

check() {
  await "$W/same.json" "$W/guard" "$W/manner"
  stage "$W/rated/rated-requests.jsonl" rate $E.checker.candidates --device $D \
    --guard "$W/guard" --manner "$W/manner" --base "$W/base" -o "$W/rated" \
    --same "$W/same.safetensors" --outputs "$W/rated-requests.jsonl"
  stage "$W/reward.json" reward $E.checker.reward \
    --scored "$W/rated/rated-requests.jsonl" -o "$W/reward.json"
  for set in rated-test guards-test; do
    stage "$W/same-$set.json" same-$set $E.teacher.check --base "$W/base" --device $D \
      --checker "$W/same.safetensors" --pairs "$W/pairs/$set.jsonl" \
      -o "$W/same-$set.json"
  done
}

scored() { # folder of outputs, name, further options and files
  folder=$1; name=$2; shift 2
  stage "$W/$folder/done" $name $E.checker.candidates --device $D --guard "$W/guard" \
    --manner "$W/manner" --base "$W/base" --same "$W/same.safetensors" \
    -o "$W/$folder" "$@"
  touch "$W/$folder/done"
}

samples() {
  await "$W/adapter.json"
  await "$W/requests/samples.jsonl"
  stage "$W/samples.jsonl" samples $E.teacher.rewrite --base "$W/base" --device $D \
    --adapter "$W/adapter.safetensors" --requests "$W/requests/samples.jsonl" \
    -o "$W/samples.jsonl" --each 8 --workers $K ${SAMPLES:---seconds 75}
  await "$W/reward.json"
  scored samples-scored score-samples --outputs "$W/samples.jsonl"
  stage "$W/chosen/report.json" choose $E.teacher.choose --reward "$W/reward.json" \
    --scored "$W/samples-scored/samples.jsonl" --ratings "$W/ratings.jsonl" \
    -o "$W/chosen" ${CHOOSE:---least 0.6 --gap 0.5}
}

variant() { # name
  stage "$W/out/$1.jsonl" greedy-$1 $E.teacher.rewrite --base "$W/base" --device $D \
    --adapter "$W/$1.safetensors" -o "$W/out/$1.jsonl" --greedy --workers $K \
    --requests "$W/requests/dev.jsonl" "$W/reading.jsonl"
}

prefer() {
  await "$W/chosen/report.json"
  stage "$W/preferred.json" prefer $E.teacher.prefer --base "$W/base" --device $D $T \
    --start "$W/adapter.safetensors" --pairs "$W/chosen/preferences.jsonl" \
    -o "$W/preferred.safetensors" ${PREFER:---seconds 100 --dropout 0.05}
  variant preferred
}

best() {
  await "$W/chosen/report.json"
  stage "$W/best.json" best $E.teacher.tune rewrite --base "$W/base" --device $D $T \
    --start "$W/adapter.safetensors" --more "$W/chosen/best.jsonl" \
    -o "$W/best.safetensors" \
    ${BEST:---seconds 90 --own 12000 --epochs 1 --rate 1e-4 --dropout 0.1 --last 1}
  variant best
}

decide() { # somebody writes what goes on into `decision`: adapter, preferred or best
  await "$W/out/tuned.jsonl" "$W/out/preferred.jsonl" "$W/out/best.jsonl"
  if [ -e "$W/compared.safetensors" ]; then variant compared; fi
  scored out-scored score-out --outputs "$W"/out/*.jsonl
  stage "$W/summary.json" summary $E.checker.summary --reward "$W/reward.json" \
    --scored "$W"/out-scored/*.jsonl -o "$W/summary.json"
}

open() { # parity of the shards
  await "$W/decision"
  mkdir -p "$W/open"
  adapter="$W/$(cat "$W/decision").safetensors"
  stage "$W/open/done-$1" open-$1 $E.teacher.rewrite --base "$W/base" --device $D \
    --adapter "$adapter" --requests "$W"/requests/open-[$2].jsonl -o "$W/open" \
    --each 2 --temperature 0.6 --workers $K ${OPEN:---seconds 215}
  touch "$W/open/done-$1"
}

score_open() {
  await "$W/decision" "$W/reward.json"
  files=$(for n in 0 1 2 3 4 5; do echo "$W/open/open-$n.jsonl"; done)
  (await "$W/open/done-even" "$W/open/done-odd"; touch "$W/open/finished") &
  scored open-scored score-open --most 2 --least 0.3 --until "$W/open/finished" \
    --outputs $files
  stage "$W/taught/report.json" taught $E.student.pairs taught $T --reward "$W/reward.json" \
    --scored "$W"/open-scored/open-*.jsonl --ratings "$W/ratings.jsonl" \
    --student "$W/models/student" -o "$W/taught" ${PAIRS:---least 0.5}
}

student() {
  await "$W/open/done-even" "$W/open/done-odd" "$W/first"
  stage "$W/student" student $E.student.train --base "$W/first" --device $D $T \
    --pairs $OWN --taught "$W/taught/kept.jsonl" \
    --requests "$W/requests/dev.jsonl" "$W/reading.jsonl" \
    -o "$W/student" --until "$(($(cat "$W/deadline") - ${AFTER:-230}))" \
    ${STUDENT:---epochs 12 --rate 6e-4}
}

polish() {
  await "$W/student"
  stage "$W/drawn.jsonl" drawn $E.student.prefer sample --base "$W/student" --device $D \
    --requests "$W/requests/polish.jsonl" --each 5 --workers $K -o "$W/drawn.jsonl"
  scored drawn-scored score-drawn --most 4 --least 0.2 --outputs "$W/drawn.jsonl"
  stage "$W/drawn-chosen/report.json" choose-drawn $E.teacher.choose \
    --reward "$W/reward.json" --scored "$W/drawn-scored/drawn.jsonl" \
    -o "$W/drawn-chosen" ${CHOOSE:---least 0.5 --gap 0.5}
  stage "$W/polished" polish $E.student.prefer learn --base "$W/student" --device $D $T \
    --pairs "$W/drawn-chosen/preferences.jsonl" \
    --examples "$W/own/own-0.jsonl" "$W/taught/kept.jsonl" -o "$W/polished" \
    --requests "$W/requests/dev.jsonl" "$W/reading.jsonl" \
    ${POLISH:---seconds 60}
}

distil() {
  await "$W/taught/report.json"
  stage "$W/pairs/distilled.jsonl" distilled $E.checker.distil \
    --scored "$W"/open-scored/open-*.jsonl "$W/samples-scored/samples.jsonl" \
    -o "$W/pairs/distilled.jsonl"
  stage "$W/distilled" distil $E.checker.encoder --base "$W/guard" --device $D \
    --pairs "$W/pairs/distilled.jsonl" "$W/pairs/guards-train-few.jsonl" \
    --held "$W/pairs/guards-test.jsonl" "$W/pairs/rated-test.jsonl" \
    -o "$W/distilled" ${DISTIL:---seconds 120 --epochs 2 --rate 1e-4}
}

open_even() { open even 024; }
open_odd() { open odd 135; }

[ $# -gt 0 ] || set -- pairs guard_pairs own guard manner control first build tune same \
  check samples \
  prefer best decide open_even open_odd score_open student polish distil
for part in "$@"; do
  $part &
done
wait
echo "$(date +%H:%M:%S) all done: $*" >> "$W/logs/stages"
