"""Listeners and transports: TCP, TLS, UNIX sockets, HTTP, WebSocket and standard streams."""
