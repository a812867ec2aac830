#!/bin/sh
# Stages on one GPU, in the background, each as soon as its inputs are there. A stage that
# is done is skipped, so the script may be started again; a failed stage stops what waits
# for it. Logs are in WORK/logs.
#
# Run    sh training/everyday/run.sh WORK cuda|cpu PART...
# The parts go in three groups, with readers between the first two:
#   first    build tune draw            a teacher, and what readers are to rate
#   second   build prefer reward open score own student
#                                       what their ratings teach it, and the student
#   checkers build guard_pairs guard manner same distil
# or, with a rater in place of the checkers that filter (marks/ from teacher.marks,
# teacher.adapter, preferences.jsonl and gold.jsonl from ratings):
#   rated    build rater sampled drawn originals opened rate taught own student
#            bolder preferred distilled
# and, to choose the student's base, models of one size for the same time: bases.
# WORK holds parts/ (teacher.shrink; a file `complete` when all are there),
# models/{minilm,student,student-tokenizer}, texts.jsonl, documents.jsonl and
# contrast.jsonl (the corpus), requests/ (requests), gold.jsonl and
# preferences.jsonl (preferences), earlier.jsonl (pairs that the student begins with),
# asked.jsonl (ratings, of greedy rewrites), reading.jsonl (requests to be read),
# ratings.jsonl (for checkers), bolder.jsonl (student.bolder), models/NAME for each of
# BASES, and deadline (seconds since 1970 by which all must be
# done), each where its group needs it, and gets the rest; guard, manner and
# adapter.safetensors may also be brought along.
# Set TUNE, PREFER, OPEN and so on to change a stage's options, PYTHON for another Python.
# Needs torch, transformers, regex, ftfy and snowballstemmer; paraphrast itself need not
# be installed.
set -u
if [ $# -lt 3 ]; then
  echo "Usage: sh training/everyday/run.sh WORK cuda|cpu PART..." >&2
  exit 2
fi
W=$(cd "$1" && pwd)
D=$2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 1
export PYTHONPATH="$root:$root/src${SITE:+:$SITE}" PYTHONUNBUFFERED=1 HF_HUB_OFFLINE=1
export TOKENIZERS_PARALLELISM=true PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
P=${PYTHON:-python3}
E="$P -m training.everyday"
K=${WORKERS:-6}
T="--texts $W/texts.jsonl"
L="--documents $W/documents.jsonl"
OWN="$W/own/own-0.jsonl $W/own/own-1.jsonl $W/own/own-2.jsonl"
mkdir -p "$W/logs" "$W/out/tuned" "$W/out/preferred" "$W/out/preferred-16" "$W/open"

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

build() {
  await "$W/parts/complete"
  stage "$W/base" build $E.teacher.build --parts "$W/parts" -o "$W/base" --device $D
}

tune() { # TUNE may go on from an adapter: --start FILE
  await "$W/base"
  stage "$W/tuning.json" tune $E.teacher.tune rewrite --base "$W/base" --device $D \
    $T $L --more "$W/gold.jsonl" -o "$W/tuning.safetensors" \
    ${TUNE:---seconds 320 --epochs 1 --interval 40 --rank 32 --alpha 64 --dropout 0.1}
  for kind in safetensors json; do  # only when it is complete
    ln -f "$W/tuning.$kind" "$W/adapter.$kind"
  done
}

greedy() { # name of the outputs, adapter, requests, further options
  folder=$1; adapter=$2; asked=$3; shift 3
  stage "$W/out/$folder/done" greedy-$folder $E.teacher.rewrite --base "$W/base" \
    --device $D --adapter "$adapter" --requests $asked -o "$W/out/$folder" --greedy \
    --workers $K "$@"
  touch "$W/out/$folder/done"
}

draw() {
  await "$W/adapter.json"
  greedy tuned "$W/adapter.safetensors" \
    "$W/requests/rated.jsonl $W/reading.jsonl $W/requests/dev.jsonl" &
  stage "$W/out/samples.jsonl" samples $E.teacher.rewrite --base "$W/base" --device $D \
    --adapter "$W/adapter.safetensors" --requests "$W/requests/rated.jsonl" \
    -o "$W/out/samples.jsonl" --each 2 --temperature 0.8 --workers $K
  wait
}

prefer() {
  await "$W/base" "$W/adapter.safetensors"
  stage "$W/preferred.json" prefer $E.teacher.prefer --base "$W/base" --device $D $T \
    --start "$W/adapter.safetensors" --pairs "$W/preferences.jsonl" \
    -o "$W/preferred.safetensors" ${PREFER:---seconds 170 --dropout 0.05 --rate 5e-5 --example 1.0}
  greedy preferred "$W/preferred.safetensors" "$W/reading.jsonl $W/requests/dev.jsonl"
  await "$W/open/done"
  greedy preferred-16 "$W/preferred.safetensors" "$W/reading.jsonl" --rank 16
}

list_requests() {
  ls "$W/requests/inputs.jsonl" "$W"/requests/open-*.jsonl
}

open() {
  await "$W/preferred.json"
  for n in $(seq "${OPENERS:-1}"); do
    (stage "$W/open/done-$n" open-$n $E.teacher.rewrite --base "$W/base" --device $D \
      --adapter "$W/preferred.safetensors" -o "$W/open" --greedy --workers $K \
      --requests $(list_requests | awk "NR % ${OPENERS:-1} == $n - 1") \
      ${OPEN:---seconds 160}
    touch "$W/open/done-$n") &
  done
  wait
  touch "$W/open/done"
}

reward() {
  await "$W/guard" "$W/manner"
  stage "$W/rated/asked.jsonl" rate $E.checker.candidates --device $D \
    --guard "$W/guard" --manner "$W/manner" --outputs "$W/asked.jsonl" -o "$W/rated"
  stage "$W/reward.json" reward $E.checker.reward --scored "$W/rated/asked.jsonl" \
    -o "$W/reward.json"
}

score() {
  await "$W/preferred.json" "$W/reward.json"
  files=$(for path in "$W/requests/inputs.jsonl" "$W"/requests/open-*.jsonl; do
    echo "$W/open/$(basename "$path")"; done)
  stage "$W/scored/done" score $E.checker.candidates --device $D --guard "$W/guard" \
    --manner "$W/manner" -o "$W/scored" --until "$W/open/done" --outputs $files
  touch "$W/scored/done"
  stage "$W/taught/report.json" taught $E.student.pairs taught $T \
    --reward "$W/reward.json" --scored "$W"/scored/*.jsonl --gold "$W/gold.jsonl" \
    --student "$W/models/student-tokenizer" -o "$W/taught" ${PAIRS:---least 0.6 --plainest 0.25}
}

own() {
  for n in 0 1 2; do
    (stage "$W/own/own-$n.jsonl" own-$n $E.student.pairs own $T $L --epochs $n \
      --student "$W/models/student-tokenizer" -o "$W/own") &
  done
  wait
}

student() {
  await "$W/models/student/config.json" $OWN
  stage "$W/student" student $E.student.train --base "$W/models/student" --device $D $T \
    --pairs $OWN --taught "$W/earlier.jsonl" --later ${LATER:-"$W/taught/kept.jsonl"} \
    --requests "$W/requests/dev.jsonl" "$W/reading.jsonl" -o "$W/student" \
    --until "$(($(cat "$W/deadline") - ${AFTER:-40}))" \
    ${STUDENT:---epochs 99 --rate 6e-4 --tokens 40000}
}

bolder() {
  await "$W/student"
  stage "$W/bolder" bolder $E.student.train --base "$W/student" --device $D $T \
    --pairs "$W/bolder.jsonl" --requests "$W/requests/dev.jsonl" "$W/reading.jsonl" \
    -o "$W/bolder" ${BOLDER:---seconds 40 --epochs 9 --rate 3e-4 --tokens 6000 --warmup 30}
}

bases() {
  await $OWN
  for name in ${BASES:-flan half marian}; do
    (await "$W/models/$name/config.json"
    stage "$W/bases/$name" base-$name $E.student.train --base "$W/models/$name" \
      --device $D $T --pairs $OWN --taught "$W/earlier.jsonl" \
      --requests "$W/requests/dev.jsonl" -o "$W/bases/$name" \
      ${BASE:---seconds 300 --epochs 99 --rate 6e-4 --tokens 24000}) &
  done
  wait
}

guard_pairs() {
  stage "$W/pairs/style-test.jsonl" manner-pairs $E.checker.manner $T \
    --ratings "$W/ratings.jsonl" --rated 2 -o "$W/pairs"
  stage "$W/pairs/held-few.jsonl" pairs $E.checker.pairs $T $L --roles guards \
    --contrast "$W/contrast.jsonl" --ratings "$W/ratings.jsonl" --workers $K \
    -o "$W/pairs" ${EXAMPLES:---each 30 --few 65000 --rated 2}
}

guard() {
  await "$W/pairs/held-few.jsonl" "$W/models/minilm/config.json"
  stage "$W/guard" guard $E.checker.encoder --base "$W/models/minilm" --device $D \
    --pairs "$W/pairs/guards-train.jsonl" -o "$W/guard" \
    --held "$W/pairs/guards-test.jsonl" "$W/pairs/rated-test.jsonl" \
    ${GUARD:---seconds 165 --epochs 3 --rate 2e-4}
}

manner() {
  await "$W/pairs/held-few.jsonl" "$W/models/minilm/config.json"
  stage "$W/manner" manner $E.checker.encoder --base "$W/models/minilm" --device $D \
    --pairs "$W/pairs/manner-train.jsonl" -o "$W/manner" \
    --held "$W/pairs/style-test.jsonl" "$W/pairs/fluency-test.jsonl" \
    ${MANNER:---seconds 105 --epochs 2 --rate 1.5e-4}
}

same() {
  await "$W/base" "$W/pairs/held-few.jsonl"
  stage "$W/same.json" same $E.teacher.tune same --base "$W/base" --device $D \
    --pairs "$W/pairs/guards-train-few.jsonl" --held "$W/pairs/held-few.jsonl" \
    -o "$W/same.safetensors" \
    ${SAME:---seconds 200 --epochs 1 --interval 50 --tokens 16000 --dropout 0.1}
  for set in rated-test guards-test; do
    stage "$W/same-$set.json" same-$set $E.teacher.check --base "$W/base" --device $D \
      --checker "$W/same.safetensors" --pairs "$W/pairs/$set.jsonl" \
      -o "$W/same-$set.json"
  done
}

distil() {
  await "$W/same.json" "$W/guard" "$W/open/done"
  stage "$W/compared" compared $E.checker.candidates --device $D --guard "$W/guard" \
    --base "$W/base" --same "$W/same.safetensors" -o "$W/compared" \
    --outputs "$W"/open/*.jsonl
  stage "$W/pairs/distilled.jsonl" distilled $E.checker.distil \
    --scored "$W"/compared/*.jsonl -o "$W/pairs/distilled.jsonl"
  stage "$W/distilled" distil $E.checker.encoder --base "$W/guard" --device $D \
    --pairs "$W/pairs/distilled.jsonl" "$W/pairs/guards-train-few.jsonl" \
    --held "$W/pairs/guards-test.jsonl" "$W/pairs/rated-test.jsonl" \
    -o "$W/distilled" ${DISTIL:---seconds 120 --epochs 2 --rate 1e-4}
}

rater() {
  await "$W/base" "$W/marks/train.jsonl"
  stage "$W/rater.json" rater $E.teacher.tune rate --base "$W/base" --device $D \
    --pairs "$W/marks/train.jsonl" --held "$W/marks/held-few.jsonl" \
    -o "$W/rater.safetensors" ${RATER:---seconds 230 --epochs 2 --interval 50 --rate 3e-4}
}

written() { # folder, requests, further options
  folder=$1; asked=$2; shift 2
  mkdir -p "$W/$folder"
  stage "$W/$folder/done" $folder $E.teacher.rewrite --base "$W/base" --device $D \
    --adapter "$W/teacher.adapter" --requests $asked -o "$W/$folder" --workers $K "$@"
  touch "$W/$folder/done"
}

sampled() {
  await "$W/base"
  written sampled "$(ls "$W"/requests/sampled-*.jsonl)" --each 4 --temperature 0.7
}

originals() {
  await "$W/sampled/done"
  written originals "$W/requests/originals.jsonl" --greedy
}

opened() {
  await "$W/originals/done"
  written opened "$(ls "$W"/requests/open-*.jsonl)" --greedy ${OPENED:---seconds 240}
}

drawn() {
  stage "$W/drawn/done" drawn $E.student.sample --student "$W/models/student" \
    --device $D --requests "$W"/requests/sampled-*.jsonl -o "$W/drawn" --workers $K
  touch "$W/drawn/done"
}

rate_all() { # folder, name, whose end is awaited
  for path in "$W"/requests/$2; do echo "$W/$1/$(basename "$path")"; done | xargs \
    $E.teacher.rate --base "$W/base" --rater "$W/rater.safetensors" --device $D \
    -o "$W/rated-$1" --until "$W/$1/done" --outputs
}

rate() {
  await "$W/rater.json"
  stage "$W/rated-held/held-report.json" rate-held $E.teacher.rate --base "$W/base" \
    --rater "$W/rater.safetensors" --device $D --held "$W/marks/held.jsonl" \
    -o "$W/rated-held" &
  (stage "$W/rated-drawn/done" rate-drawn rate_all drawn "sampled-*.jsonl"
    touch "$W/rated-drawn/done"
    stage "$W/rated-originals/done" rate-originals rate_all originals "originals.jsonl"
    touch "$W/rated-originals/done") &
  (stage "$W/rated-sampled/done" rate-sampled rate_all sampled "sampled-*.jsonl"
    touch "$W/rated-sampled/done"
    stage "$W/rated-opened/done" rate-opened rate_all opened "open-*.jsonl"
    touch "$W/rated-opened/done") &
  wait
}

taught() {
  await "$W/rated-drawn/done" "$W/rated-sampled/done"
  stage "$W/taught/report.json" taught $E.student.pairs taught $T \
    --scored "$W"/rated-drawn/*.jsonl "$W"/rated-sampled/*.jsonl \
    --student "$W/models/student-tokenizer" -o "$W/taught" \
    ${PAIRS:---least 0.65 --worth 0.4 --plainest 0.1}
  await "$W/rated-originals/done"
  stage "$W/inverse.jsonl" inverse $E.originals pairs \
    --rated "$W/rated-originals/originals.jsonl" -o "$W/inverse.jsonl"
  await "$W/rated-opened/done"
  stage "$W/taught-open/report.json" taught-open $E.student.pairs taught $T \
    --scored "$W"/rated-opened/*.jsonl --student "$W/models/student-tokenizer" \
    -o "$W/taught-open" ${PAIRS:---least 0.65 --worth 0.4 --plainest 0.1}
}

preferred() {
  await "$W/rated-sampled/done"
  stage "$W/learnt/preferences.jsonl" learnt $E.preferences --ratings "$W/rewrites.jsonl" \
    --rated "$W"/rated-sampled/*.jsonl -o "$W/learnt"
  stage "$W/preferred.json" prefer $E.teacher.prefer --base "$W/base" --device $D $T \
    --start "$W/teacher.adapter" --pairs "$W/learnt/preferences.jsonl" \
    -o "$W/preferred.safetensors" \
    ${PREFER:---seconds 200 --dropout 0.05 --rate 5e-5 --example 1.0 --tokens 4000}
  greedy preferred "$W/preferred.safetensors" "$W/reading.jsonl $W/requests/dev.jsonl"
}

distilled() {
  await "$W/rated-drawn/done" "$W/rated-sampled/done" "$W/pairs/held-few.jsonl"
  stage "$W/pairs/distilled.jsonl" distilled $E.checker.distil \
    --scored "$W"/rated-drawn/*.jsonl "$W"/rated-sampled/*.jsonl \
    -o "$W/pairs/distilled.jsonl"
  stage "$W/distilled" distil $E.checker.encoder --base "$W/models/guard" --device $D \
    --pairs "$W/pairs/distilled.jsonl" "$W/pairs/guards-train-few.jsonl" \
    --held "$W/pairs/guards-test.jsonl" "$W/pairs/rated-test.jsonl" \
    -o "$W/distilled" ${DISTIL:---seconds 200 --epochs 2 --rate 1e-4}
}

for part in "$@"; do
  $part &
done
wait
echo "$(date +%H:%M:%S) all done: $*" >> "$W/logs/stages"
