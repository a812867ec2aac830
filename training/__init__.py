"""How each model that ships is trained: one folder per model (training/README.md)."""
