"""Refereed games and matches between processes, attached engines and humans."""
