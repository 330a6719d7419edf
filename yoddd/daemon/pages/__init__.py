"""HTTP resources: the web page, its API, health checks and metrics."""
