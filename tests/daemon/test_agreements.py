"""Agreements of two humans over real sockets, who ask at the same moment."""

from __future__ import annotations

import pytest

from tests.daemon.conftest import Daemon, Peer

pytestmark = [pytest.mark.process, pytest.mark.whole]


@pytest.fixture
def players(daemon: Daemon) -> tuple[Peer, str, Peer, str]:
    """The connections and keys of ann, Black, and bob, who have played a turn each."""
    ann, bob = daemon.peer(), daemon.peer()
    game, black = ann.ask("seek ann board=hex3 seat=b").removeprefix("= ").split()
    white = bob.ask(f"accept {game} bob").removeprefix("= ")
    assert ann.ask(f"put {black} 1a1") == bob.ask(f"put {white} pass") == "= "
    return ann, black, bob, white


def test_two_takebacks_at_the_same_moment_are_no_agreement(
    players: tuple[Peer, str, Peer, str],
) -> None:
    ann, black, bob, white = players
    ann.send(f"takeback {black}\n")
    bob.send(f"takeback {white}\n")
    replies = sorted((ann.reply(), bob.reply()))
    assert replies[0] == "= "
    assert replies[1].startswith("? illegal move: the other asks already: agree with ")
    length = replies[1].split(" with ")[1].split(",")[0]
    answers = [ann.ask(f"takeback {black} {length}"), bob.ask(f"takeback {white} {length}")]
    assert min(answers) == "= "
    assert max(answers).startswith("? illegal move: no such request")


def test_finished_game_names_its_rematch_once_that_has_begun(
    players: tuple[Peer, str, Peer, str],
) -> None:
    ann, black, bob, white = players
    (game,) = ann.ask("games").removeprefix("= ").splitlines()[:1]
    first = game.split()[0]
    assert ann.ask(f"put {black} resign") == "= "
    assert ann.ask(f"rematch {black}").startswith("= ")
    assert "rematch=" not in ann.ask(f"games {first}")
    new = bob.ask(f"rematch {white}").split()[1]
    assert f" rematch={new}" in ann.ask(f"games {first}")
