#!/bin/sh
# Runs stages of pipeline.py in the background where paraphrast is only copied.
# It needs python3 with torch, transformers, tokenizers, safetensors, numpy and regex.
# The code is copied first, so that what runs does not change under it.
#
# Run    sh recipes/strap/training/gpu.sh WORK LOG STAGE... [OPTION...]   from the root
#        sh recipes/strap/training/gpu.sh WORK status
set -e
work=$1
log=$2
shift 2
note=$work/site/paraphrast-0.0.0.dist-info
mkdir -p "$note" "$work/logs" "$work/code"
printf 'Metadata-Version: 2.1\nName: paraphrast\nVersion: 0.0.0\n' > "$note/METADATA"
for part in src recipes; do
  [ -e "$work/code/$part" ] || cp -r "$part" "$work/code/$part"
done
training=$work/code/recipes/strap/training
export PYTHONPATH="$work/code/src:$training:$work/site:$PYTHONPATH"
export PYTHONUNBUFFERED=1 HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=true
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
if [ "$log" = status ]; then
  exec python3 "$training/pipeline.py" status --work "$work"
fi
setsid nohup python3 "$training/pipeline.py" "$@" --work "$work" \
  > "$work/logs/$log.log" 2>&1 < /dev/null &
echo "$log: started"
