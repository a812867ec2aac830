"""Storage on disk: atomic writes, arrays, packs, resumable jobs."""
