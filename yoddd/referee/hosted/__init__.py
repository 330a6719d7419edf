"""Layer 5: a game that the daemon hosts: its offer, seats, requests, and end around the referee."""
