"""The HTTP API: ``/v1``, monitoring, and compatible APIs of other services."""
