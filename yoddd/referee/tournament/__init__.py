"""Tournaments: plan, pairings, standings, and the conditions that end them."""
