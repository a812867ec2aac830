"""Statistical models and methods that several packages share, each written once."""
