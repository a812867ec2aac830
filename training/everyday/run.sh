#!/bin/sh
# All stages on one GPU, in the background, each as soon as its inputs are there. A stage
# that is done is skipped, so the script may be started again; a failed stage stops the
# others from waiting. Logs are in WORK/logs.
#
# Run    sh training/everyday/run.sh WORK [cuda|cpu]
# WORK holds parts/ (teacher.shrink), models/{minilm,mpnet,student}, pairs/
# (checker.pairs) and requests/ (requests), and gets the rest. Set GUARD, JUDGE, TUNE,
# SAME, OPEN, PAIRS and STUDENT to change a stage's options, PYTHON for another Python.
# Needs torch, transformers, regex, ftfy and snowballstemmer; paraphrast itself need not
# be installed.
set -u
W=$1
D=${2:-cuda}
root=$(cd "$(dirname "$0")/../.." && pwd)
export PYTHONPATH="$root:$root/src" PYTHONUNBUFFERED=1 HF_HUB_OFFLINE=1
export TOKENIZERS_PARALLELISM=true PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
P=${PYTHON:-python3}
E="$P -m training.everyday"
mkdir -p "$W/logs" "$W/out"
rm -f "$W/logs/failed"

stage() { # output, name, command
  output=$1; name=$2; shift 2
  if [ -e "$output" ]; then return 0; fi
  echo "$(date +%H:%M:%S) $name begins" >> "$W/logs/stages"
  if "$@" > "$W/logs/$name.log" 2>&1; then
    echo "$(date +%H:%M:%S) $name is done" >> "$W/logs/stages"
  else
    echo "$(date +%H:%M:%S) $name failed" | tee -a "$W/logs/stages" "$W/logs/failed"
    exit 1
  fi
}

await() { # paths
  for path in "$@"; do
    while [ ! -e "$path" ]; do
      if [ -e "$W/logs/failed" ]; then exit 1; fi
      sleep 1
    done
  done
}

build() {
  stage "$W/base" build $E.teacher.build --parts "$W/parts" -o "$W/base" --device $D
}

guard() {
  stage "$W/guard" guard $E.checker.encoder --base "$W/models/minilm" --device $D \
    --pairs "$W/pairs/guards-train.jsonl" --held "$W/pairs/guards-test.jsonl" \
    -o "$W/guard" ${GUARD:---seconds 120 --epochs 3 --rate 2e-4}
}

judge() {
  stage "$W/judge" judge $E.checker.encoder --base "$W/models/mpnet" --device $D \
    --pairs "$W/pairs/judges-train.jsonl" --held "$W/pairs/judges-test.jsonl" \
    -o "$W/judge" ${JUDGE:---seconds 110 --epochs 2 --rate 4e-5}
}

teacher() {
  await "$W/base"
  stage "$W/adapter.json" tune $E.teacher.tune rewrite --base "$W/base" --device $D \
    -o "$W/adapter.safetensors" ${TUNE:---seconds 115 --interval 30 --dropout 0.1}
  stage "$W/same.json" same $E.teacher.tune same --base "$W/base" --device $D \
    --pairs "$W/pairs/guards-train-few.jsonl" --held "$W/pairs/guards-test-few.jsonl" \
    -o "$W/same.safetensors" \
    ${SAME:---seconds 100 --epochs 1 --interval 33 --tokens 16000}
  rewrite="$E.teacher.rewrite --base $W/base --adapter $W/adapter.safetensors \
    --checker $W/same.safetensors --device $D"
  set -- "$W/requests/dev.jsonl" "$W/requests/reading.jsonl"
  stage "$W/out/greedy.jsonl" greedy $rewrite --requests "$@" --greedy \
    -o "$W/out/greedy.jsonl"
  stage "$W/out/sampled.jsonl" sampled $rewrite --requests "$@" --each 8 \
    -o "$W/out/sampled.jsonl"
  stage "$W/out/open.jsonl" open $rewrite --requests "$W/requests/open.jsonl" --each 2 \
    --temperature 0.7 -o "$W/out/open.jsonl" ${OPEN:---workers 6 --seconds 300}
}

check() {
  await "$W/same.json"
  stage "$W/same-report.json" check $E.teacher.check --base "$W/base" --device $D \
    --checker "$W/same.safetensors" --pairs "$W/pairs/guards-test.jsonl" \
    -o "$W/same-report.json"
}

score() {
  await "$W/guard" "$W/judge"
  for set in greedy sampled; do
    await "$W/out/$set.jsonl"
    stage "$W/out/$set-judged.jsonl" judge-$set $E.checker.score --model "$W/judge" \
      --name judge --outputs "$W/out/$set.jsonl" --device $D \
      -o "$W/out/$set-judged.jsonl"
    stage "$W/out/$set-scored.jsonl" score-$set $E.checker.score --model "$W/guard" \
      --name guard --outputs "$W/out/$set-judged.jsonl" --device $D \
      -o "$W/out/$set-scored.jsonl"
  done
}

student() {
  await "$W/guard" "$W/out/open.jsonl"
  stage "$W/taught/report.json" pairs $E.student.pairs --candidates "$W/out/open.jsonl" \
    --guard "$W/guard" --student "$W/models/student" --device $D -o "$W/taught" ${PAIRS:-}
  stage "$W/student" student $E.student.train --base "$W/models/student" --device $D \
    --pairs "$W"/taught/epoch-*.jsonl \
    --requests "$W/requests/dev.jsonl" "$W/requests/reading.jsonl" \
    -o "$W/student" ${STUDENT:---seconds 240}
}

for part in build guard judge teacher check score student; do
  $part &
done
wait
if [ -e "$W/logs/failed" ]; then exit 1; fi
echo "$(date +%H:%M:%S) all done" >> "$W/logs/stages"
