"""How things are kept on disk: atomic writes, arrays, packs, resumable jobs."""
