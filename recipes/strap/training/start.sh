#!/bin/sh
# Starts teaching.py or expert.py in the background where paraphrast is only copied; as
# gpu.sh, whose copy of the code it shares. What it prints is in WORK/logs/SCRIPT.log.
#
# Run    sh recipes/strap/training/start.sh WORK SCRIPT [OPTION...]       from the root
set -e
work=$1
script=$2
shift 2
. "$(dirname "$0")/copy.sh"
setsid nohup python3 "$training/$script.py" "$@" --work "$work" \
  > "$work/logs/$script.log" 2>&1 < /dev/null &
echo "$script: started"
