"""Fine-tuning: training loops, LoRA, quantisation, conversion. Needs torch."""
