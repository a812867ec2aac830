"""The command line: one file for each noun, shared option types, no logic."""
