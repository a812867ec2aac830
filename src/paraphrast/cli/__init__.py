"""The command line: one module per noun, shared option types, no logic."""
