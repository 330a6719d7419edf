"""HTTP resources: the page, its API, health checks and metrics."""
