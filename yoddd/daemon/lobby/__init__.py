"""Offers, games between users, accounts, rated games and the ladder."""
