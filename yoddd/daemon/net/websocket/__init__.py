"""The WebSocket transport."""
