"""The WebSocket transport: upgrade, frames, heartbeat and messages."""
