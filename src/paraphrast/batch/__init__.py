"""Batch jobs for large corpora: shards, a manifest, and engines that process them.

1. `plan` cuts the inputs (`inputs`) into shards of whole records, and seals a manifest
   of their ranges and hashes, the task (`tasks`) with its settings, and its models.
2. `run` gives the shards that are not done to the workers of an engine (`engines`);
   `schedule` decides what is retried and what is halved, and `work` is what a worker
   runs. A shard's result appears whole, under a name that its number alone decides, so
   that processing a shard twice is harmless, and killing any process loses only time.
3. `status` reads from the folder how far a job is; any process may ask.
4. `finish` verifies every shard and joins them in the order of the input.

The result is a function of the inputs, the settings and the models: it depends neither
on the engine nor on the number of workers, nor on what was killed.
"""
