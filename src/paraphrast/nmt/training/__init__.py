"""The network and its training. Needs torch, and NumPy, and nothing else."""
