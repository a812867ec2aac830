"""Annotation: an append-only log of events, and the state that results from them.

`alignment` and `judging` define the effect of an event on a state, without a database;
`history` defines undo and redo; `log` stores events and states.
"""
