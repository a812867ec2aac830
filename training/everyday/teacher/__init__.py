"""The teacher: a large model that rewrites any style into any other."""
