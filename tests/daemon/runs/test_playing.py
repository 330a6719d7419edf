"""The games of a run that are in play."""

from __future__ import annotations

import pytest

from tests.support.runs import random_record
from yoddd.daemon.play.news import GameBegins, GameEnds, TurnSeen
from yoddd.daemon.runs.run import GamesPlaying
from yoddd.rules import make_rules


def test_games_playing_follow_the_news_until_each_game_is_over() -> None:
    playing = GamesPlaying(make_rules("yodd", "hex2"))
    playing.take(GameBegins(1, "g1", "ann", "bob", ("1a1",)))
    playing.take(GameBegins(2, "g2", "bob", "ann"))
    playing.take(TurnSeen(1, "w", "pass", 1.5))
    assert playing.answer("") == {
        "games": [
            {"id": "g1", "black": "ann", "white": "bob", "turns": 2},
            {"id": "g2", "black": "bob", "white": "ann", "turns": 0},
        ]
    }
    game = playing.answer("g1")
    assert (game["turns"], game["times"], game["opening"]) == (["1a1", "pass"], [0.0, 1.5], 1)
    playing.take(GameEnds(1, random_record("g1", "ann", "bob", 1)))
    with pytest.raises(ValueError, match="no game 'g1' is in play"):
        playing.answer("g1")


def test_games_playing_keep_a_game_that_is_played_again_before_its_void_result_is_written() -> None:
    playing = GamesPlaying(make_rules("yodd", "hex2"))
    playing.take(GameBegins(1, "g1", "ann", "bob"))
    playing.take(GameBegins(1, "g1a2", "ann", "bob"))
    playing.take(GameEnds(1, random_record("g1", "ann", "bob", 1)))
    playing.take(TurnSeen(1, "b", "1a1", 1.0))
    assert playing.answer("g1a2")["turns"] == ["1a1"]
