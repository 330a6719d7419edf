"""One game: its clocks, requests to engines, turns, and termination."""
