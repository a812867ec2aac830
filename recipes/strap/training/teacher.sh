#!/bin/sh
# Starts teaching.py in the background where paraphrast is only copied; as gpu.sh, whose
# copy of the code it shares.
#
# Run    sh recipes/strap/training/teacher.sh WORK [OPTION...]            from the root
set -e
work=$1
shift
. "$(dirname "$0")/copy.sh"
setsid nohup python3 "$training/teaching.py" "$@" --work "$work" \
  > "$work/logs/teacher.log" 2>&1 < /dev/null &
echo "teacher: started"
