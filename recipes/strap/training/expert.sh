#!/bin/sh
# Starts expert.py in the background where paraphrast is only copied; as teacher.sh.
#
# Run    sh recipes/strap/training/expert.sh WORK [OPTION...]             from the root
set -e
work=$1
shift
. "$(dirname "$0")/copy.sh"
setsid nohup python3 "$training/expert.py" "$@" --work "$work" \
  > "$work/logs/expert.log" 2>&1 < /dev/null &
echo "expert: started"
