"""The student: the small model that ships, and the pairs it learns from."""
