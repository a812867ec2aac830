"""What runs texts for pages and the HTTP interface."""
