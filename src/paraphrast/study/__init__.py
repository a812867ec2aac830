"""Human evaluation: judgments and the agreement of those who judge."""
