"""The rewriter: the neural model of the default pack."""
