"""The HTTP interface: ``/v1``, what watches a server, and facades of other services."""
