"""What annotators do: events that are only ever added, and the state they come to.

`alignment` and `judging` say what an event does to a state, without a database;
`history` what undo and redo take back; `log` keeps events and states.
"""
