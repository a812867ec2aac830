"""Corpora that outgrow one process: shards, a manifest, and engines to work on them.

1. `plan` cuts the inputs (`inputs`) into shards of whole records, and seals a manifest
   of their ranges and hashes, the task (`tasks`) with its settings, and its models.
2. `run` gives the shards that are not done to the workers of an engine (`engines`);
   `schedule` decides what is tried again and what is halved, and a worker does `work`.
   A shard's result appears whole, under a name that its number alone decides, so that
   doing a shard twice is harmless and killing anything loses nothing but time.
3. `status` reads from the folder how far a job is; any process may ask.
4. `finish` verifies every shard and joins them in the order of the input.

The result is a function of the inputs, the settings and the models: neither the engine
nor the number of workers nor what was killed on the way has a part in it.
"""
