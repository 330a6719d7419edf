"""Statistics of games without draws: pairs, Elo, sequential tests and joint ratings."""
