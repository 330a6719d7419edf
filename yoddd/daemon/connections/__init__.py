"""Connections above their transports: sessions, attached engines and the search pool."""
