"""Systems side by side: baselines, significance, gaming, tables and reports."""
