"""HTTP resources: the web board, its API, health checks and metrics."""
