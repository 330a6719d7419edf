"""Reports on a run, as text and HTML, and its progress."""
