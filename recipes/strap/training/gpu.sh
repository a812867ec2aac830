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
. "$(dirname "$0")/copy.sh"
if [ "$log" = status ]; then
  exec python3 "$training/pipeline.py" status --work "$work"
fi
setsid nohup python3 "$training/pipeline.py" "$@" --work "$work" \
  > "$work/logs/$log.log" 2>&1 < /dev/null &
echo "$log: started"
