# Read by gpu.sh and start.sh: copies paraphrast into the folder $work, so that what
# runs does not change under it, and lets Python find it there.
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
