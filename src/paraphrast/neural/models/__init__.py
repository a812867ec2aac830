"""Running neural models: engines, prompts, decoding and packs. No torch."""
