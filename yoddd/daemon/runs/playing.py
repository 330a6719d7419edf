"""The games of a run that are in play, for spectators who ask its status socket."""

from __future__ import annotations

from typing import Any

from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen
from yoddd.rules import Rules


class GamesPlaying:
    """The games in play with their turns so far, as the news tell of them."""

    def __init__(self, rules: Rules) -> None:
        """Create it without games; ``rules`` are those of every game of the run."""
        self._rules = rules
        # By the number of the game in the run. A game that is aborted stays until it is played
        # again under its number.
        self._games: dict[int, dict[str, Any]] = {}

    def take(self, news: News) -> None:
        """Add news of the games in play."""
        match news:
            case GameBegins():
                self._games[news.number] = self._begun(news)
            case TurnSeen(number, _, token, seconds):
                self._games[number]["turns"].append(token)
                self._games[number]["times"].append(seconds)
            case GameEnds(number, record):
                # A void game may be played again, under its number, before its result is written.
                if self._games.get(number, {}).get("id") == record.id:
                    del self._games[number]

    def _begun(self, news: GameBegins) -> dict[str, Any]:
        return {
            "id": news.id,
            "game": self._rules.game.name,
            "board": self._rules.geometry.name,
            "options": self._rules.options(),
            "black": news.black,
            "white": news.white,
            "turns": [*news.opening],
            "times": [0.0] * len(news.opening),
            "position": news.position,
            "opening": len(news.opening),
        }

    def answer(self, game_id: str) -> dict[str, Any]:
        """The game of an id with its turns so far; without one, a line for each game.

        Raises:
            ValueError: no game of this id is in play.
        """
        if not game_id:
            return {"games": [_summary(game) for game in self._games.values()]}
        for game in self._games.values():
            if game["id"] == game_id:
                return game
        raise ValueError(f"no game {game_id!r} is in play")


def _summary(game: dict[str, Any]) -> dict[str, Any]:
    return {name: game[name] for name in ("id", "black", "white")} | {"turns": len(game["turns"])}
