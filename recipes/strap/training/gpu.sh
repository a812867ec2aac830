#!/bin/sh
# Runs steps of pipeline.py on a machine where paraphrast is not installed, only copied.
# It needs python3 with torch, transformers, tokenizers, safetensors, numpy and regex.
#
# Run    sh recipes/strap/training/gpu.sh WORK STEP... [--plays]      from the root
set -e
work=$1
shift
note=$work/site/paraphrast-0.0.0.dist-info
mkdir -p "$note"
printf 'Metadata-Version: 2.1\nName: paraphrast\nVersion: 0.0.0\n' > "$note/METADATA"
export PYTHONPATH="src:recipes/strap/training:$work/site" PYTHONUNBUFFERED=1 HF_HUB_OFFLINE=1
exec python3 recipes/strap/training/pipeline.py "$@" --work "$work"
