"""Games of drawn descriptions: every format keeps them where no such game is in force."""

from __future__ import annotations

import json
import random

import attrs
import pytest

from tests.support.descriptions import drawn_game, random_rules
from tests.support.schemas import validator
from yoddd.engine.uniform import random_turn
from yoddd.kernel import best_position
from yoddd.notation import (
    GameRecord,
    NotationError,
    dump_record,
    format_position,
    format_turn,
    load_record,
    parse_position,
    parse_turn,
)
from yoddd.notation.archives import ArchiveFormat, read_archive, write_archive
from yoddd.notation.imports import conclude
from yoddd.notation.records import filled, replay
from yoddd.rules import GAMES, PASS, Rules, add_game
from yoddd.rules.game import rules_of


def drawn_record(rules: Rules, seed: int) -> GameRecord:
    """The record of a random game; each turn and position on its way is read back."""
    rng, kind = random.Random(seed), best_position()
    start = kind(rules)
    position = start.copy()
    while not position.is_over:
        turn = random_turn(position, rng)
        if turn == PASS and rng.random() < 0.8:
            turn = rng.choice(list(position.legal_turns()))
        token = format_turn(turn, rules)
        assert parse_turn(token, rules, position.player) == turn
        position.play(turn)
        line = format_position(position)
        assert format_position(parse_position(line, kind, rules.game)) == line
    return conclude(start, position, id=f"g{seed}", black="Ada", white="Bob")


@pytest.mark.parametrize("part", range(4))
def test_record_of_a_drawn_game_survives_every_format(part: int) -> None:
    records = []
    for seed in range(25 * part, 25 * part + 25):
        rules = drawn_game(seed)[1] if seed % 4 else random_rules(seed)
        record = drawn_record(rules, seed)
        validator("game-record").validate(json.loads(dump_record(record)))
        assert record.rules_hash == rules.facts.hash
        assert (record.description is None) is (rules.game.name in GAMES)
        records.append(record)
    for form in ArchiveFormat:
        text = list(write_archive(records, form, "2030-01-31T12:00:00Z"))
        found = list(read_archive(map(str, text), form, replayed=True))
        assert found == records
        assert [one.rules_hash for one in found] == [one.rules_hash for one in records]  # type: ignore[union-attr]


def test_record_of_an_older_version_is_read_with_its_hash() -> None:
    line = dump_record(drawn_record(random_rules(3), 3))
    old = json.loads(line)
    del old["rules_hash"]
    assert filled(json.dumps(old)) == line == filled(line)
    assert filled("{}") == "{}"


def test_record_and_its_description_have_to_agree() -> None:
    game, _ = drawn_game(1)
    rules = rules_of(game, None, {})
    other = next(one for seed in range(99) if (one := drawn_game(seed)[0]).facts != game.facts)
    other = attrs.evolve(other, boards=game.boards, default_board=game.default_board, options=())
    record = attrs.evolve(drawn_record(rules, 1), options={})
    text = dump_record(attrs.evolve(record, description=other.description()))
    with pytest.raises(NotationError, match="rules_hash: drawn here has other rules"):
        load_record(text)
    add_game(other)
    assert replay(load_record(dump_record(record))).rules.facts == game.facts
    lone = json.loads(dump_record(record)) | {"description": None}
    with pytest.raises(NotationError, match="rules_hash: "):
        load_record(json.dumps(lone))
    for wrong in ({"format": 2}, {}, {"title": "\x1b[2J"}, {"name": "yodd"}, {"name": "another"}):
        bad = {**game.description(), **wrong} if wrong else {}
        with pytest.raises(NotationError, match="description") as refused:
            load_record(json.dumps(json.loads(dump_record(record)) | {"description": bad}))
        assert str(refused.value).isprintable()
