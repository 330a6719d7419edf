"""Every clause of the lessons: what it claims of a position is computed from `yoddd.rules`.

A clause is a claim that is checked here, a rule that holds in every position, an order or question
to the reader, or nothing but facts that the page fills in (`test_lessons`). One that is none of
these fails, so that a new sentence is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

import attrs
import pytest

from tests.web.test_lessons import (
    GAMES,
    Facts,
    Step,
    begun_of,
    facts_after,
    facts_of,
    fill,
    links_of,
    position_of,
    right_turns,
    steps,
)
from yoddd.notation import parse_turn
from yoddd.rules import PASS, Colour, Position
from yoddd.rules.scoring import tally

pytestmark = pytest.mark.gate


@attrs.frozen
class Said:
    """A text of a step, and the position that it is about.

    Attributes:
        step: the step.
        before: its position.
        position: the position of the text: after the right turn, or with the begun one.
    """

    step: Step
    before: Position
    position: Position

    @property
    def facts(self) -> Facts:
        return facts_of(self.position)

    def touching(self, colour: Colour, count: int) -> int:
        """The number of empty cells that touch so many groups of a colour."""
        cells, neighbours = self.before.cells, self.before.rules.geometry.neighbours
        groups = [set(one.cells) for one in self.before.groups() if one.colour is colour]
        return sum(
            sum(bool(group & set(neighbours[cell])) for group in groups) == count
            for cell, content in enumerate(cells)
            if content is None
        )

    def beside_links(self) -> list[int]:
        """The number of groups of the player beside each link of the other one."""
        neighbours, player = self.before.rules.geometry.neighbours, self.before.player
        groups = [set(one.cells) for one in self.before.groups() if one.colour is player]
        around = [
            {near for cell in link for near in neighbours[cell]} for link in links_of(self.before)
        ]
        return sorted(sum(bool(group & near) for group in groups) for near in around)

    def wrong_leaders(self) -> set[str]:
        """The leaders after the legal turns that are not right."""
        right = {
            parse_turn(one, self.before.rules, self.before.player) for one in right_turns(self.step)
        }
        return {
            facts_after(self.before, turn)["leader"]
            for turn in self.before.legal_turns()
            if turn not in right
        }

    def winner_after_pass(self) -> Colour | None:
        after = self.before.copy()
        after.play(PASS)
        outcome = after.outcome()
        return None if outcome is None else outcome.winner

    def replies(self) -> set[str]:
        return {facts_after(self.position, turn)["leader"] for turn in self.position.legal_turns()}

    def stones(self) -> list[int]:
        return [cell for cell, content in enumerate(self.before.cells) if content is not None]

    def middle(self) -> bool:
        return self.stones() == [self.before.rules.geometry.cells // 2]

    def pairs_with(self) -> set[tuple[int, int]]:
        """The groups that White would get by cutting each link, and the stones for it."""
        added = set()
        for link in links_of(self.before):
            cells = list(self.before.cells)
            for cell in link:
                cells[cell] = Colour.WHITE
            copy = self.before.copy()
            copy._cells, copy._groups = cells, None
            before, after = (tally(one.groups())[1] for one in (self.before, copy))
            added.add((after - before, len(link)))
        return added


CLAIMS: Final[dict[str, Callable[[Said], bool]]] = {
    r"Both have \{black group\}": lambda s: s.facts["black"] == s.facts["white"],
    r"Both products|equal products": lambda s: s.facts["blackProduct"] == s.facts["whiteProduct"],
    r"The board is full": lambda s: None not in s.position.cells,
    r"Both have passed, and the game is over|The game is over": lambda s: s.position.is_over,
    r"White has passed": lambda s: s.position.passes == 1 and s.position.player is Colour.BLACK,
    r"White has dropped the ringed stone": lambda s: (
        s.before.player is Colour.WHITE and len(begun_of(s.step)) == 1
    ),
    r"\}, an even number": lambda s: s.facts["parity"] == "even",
    r"The turn needs another stone": lambda s: s.facts["parity"] == "even",
    r"[Tt]he turn may end": lambda s: s.facts["parity"] == "odd",
    r"One cell touches (all )?three black groups": lambda s: s.touching(Colour.BLACK, 3) == 1,
    r"Two cells lie between two black groups": lambda s: s.touching(Colour.BLACK, 2) == 2,
    r"ahead by \{score\}": lambda s: s.facts["leader"] == s.before.player.name.title(),
    r"No turn does more|Another turn gets|higher product": lambda s: (
        {"best": "most"} in s.step["ask"]["turn"].values()
    ),
    r"The two black stones at the corners of a diamond": lambda s: len(links_of(s.before)) == 1,
    r"the two stones would be one new group": lambda s: (
        s.pairs_with() == {(1, 2)} and s.facts["parity"] == "odd"
    ),
    r"two white stones side by side are one new": lambda s: s.pairs_with() == {(1, 2)},
    r"The diamond is safe": lambda s: (
        not any(facts_after(s.before, turn)["cuts"] for turn in s.before.legal_turns())
    ),
    r"Here a white group stands beside": lambda s: s.beside_links() == [1],
    r"There are \{links\}": lambda s: len(s.beside_links()) == 2,
    r"One has two white groups beside it": lambda s: s.beside_links() == [1, 2],
    r"Black.s stones are apart": lambda s: s.step["ask"]["turn"] == {"cuts": 1},
    r"Black wins with": lambda s: s.position.outcome() is not None and s.facts["leader"] == "Black",
    r"You are ahead": lambda s: s.facts["leader"] == s.before.player.name.title(),
    r"is ahead with \{white group\}": lambda s: s.facts["leader"] == "White",
    r"with another pass Black would lose": lambda s: s.winner_after_pass() is Colour.WHITE,
    r"White would still be ahead": lambda s: s.wrong_leaders() == {"White"},
    r"Black would lead": lambda s: s.wrong_leaders() == {"Black"},
    r"Black leads with": lambda s: s.facts["leader"] == "Black",
    r"^White leads": lambda s: s.facts["leader"] == "White",
    r"\{leader\} leads": lambda s: s.facts["leader"] != "neither",
    r"\{leader\} has won": lambda s: s.position.is_over and s.facts["leader"] != "neither",
    r"Now White has to play on": lambda s: (
        s.facts["leader"] == "Black" and s.position.player is Colour.WHITE
    ),
    r"White has to join them again": lambda s: s.facts["white"] > s.facts["black"],
    r"Black.s last stone cannot change": lambda s: s.replies() == {"White"},
    r"\{empty\} cells are empty, and Black has the last stone": lambda s: (
        s.facts["empty"] == 2 and s.before.player is Colour.WHITE
    ),
    r"White still has \{white group\}": lambda s: s.facts["white"] == facts_of(s.before)["white"],
    r"Black.s first stone is in the middle": lambda s: s.middle(),
    r"You are Black now": lambda s: s.middle() and s.position.player is Colour.WHITE,
    r"One of the groups needs one more stone": lambda s: (
        [one.size for one in s.before.groups()].count(s.before.rules.min_group - 1) == 1
    ),
    r"two white stones there are two new groups": lambda s: s.pairs_with() == {(2, 2)},
    r"[Nn]ow a white group touches one of the two cells": lambda s: s.beside_links() == [1],
    r"one (stone|of the two stones) extends the white group": lambda s: s.pairs_with() == {(1, 2)},
    r"All of them are \{black group\} now": lambda s: s.facts["black"] == 1,
    r"White has a single group now": lambda s: s.facts["white"] == 1,
    r"\{leader\}, with fewer stones": lambda s: (
        (s.facts["leader"] == "White") == (s.facts["whiteStones"] < s.facts["blackStones"])
    ),
}
"""What a clause says, and whether it is so."""

ORDER: Final = re.compile(
    r"(You are|[Cc]lick|[Dd]rop|[Pp]lay|[Jj]oin|Find|Put|[Tt]ake|Count|Look|Try|Use|Compare|Mind|"
    r"Leave|Multiply|Complete|[Gg]ive|[Cc]ut|[Ee]nd|[Ee]xtend|[Rr]aise|[Mm]ake|[Ss]wap|[Pp]ass|"
    r"do not)\b"
)

RULES: Final = tuple(
    re.compile(text)
    for text in (
        # Of groups, turns and the end, in any position.
        r"Stones of one colour that are connected are",
        r"a (single )?stone (on its own )?is a group, too|A stone on its own is a group",
        r"When a turn ends, the groups of both colours together must be odd",
        r"A turn has one or two stones",
        r"A stone that (extends one group|touches two groups|touches three groups)",
        r"[Tt]he total falls by (one|two)",
        r"it adds one to the total",
        r"Two joins change the total by two|the turn is legal",
        r"(then )?[Ff]ewer (groups |stones )?(of your own colour )?win",
        r"To cut, White has to take both|Two stones that extend it add no group",
        r"taking its cells would join them",
        r"A diamond with no white group beside it, or two, is safe|with one it is not",
        r"A pass drops nothing|Two passes in a row end|An odd total cannot be split",
        r"On a square board|[Ss]tones that touch (at a corner|there) only|A cell has four neigh",
        r"As in Yodd, a stone that joins three|Joining four groups takes three|a second stone is n",
        r"The cells beside a corner are not neighbours|With no white group near, a diagonal",
        r"Groups of \{minGroup\} stones or more are|the size can be chosen|Both colours count",
        r"At the end Black wins if|zero is even|the number of large groups has to be even",
        r"Joining two large groups also changes|That one is too small|That group is counted",
        r"In Yoin you drop|White may answer by a swap|the stone stays|it is possible on White.s",
        r"Then groups of a single stone no longer count",
        r"Every turn but the first drops|the more alike the two sizes|A colour with a single group",
        r"A white stone on its own would be another|A single group, however large",
        r"Now both at once",
    )
)

FACTS_ONLY: Final = re.compile(
    r"(No|Cut|Still|Black|White|has|had|and|of|in all|together|to|legal|a legal turn|now|"
    r"large groups|stones or more|stones|the total|is|with one stone|\{[\w ]+\}|.s|[ ,;=:.]|Yes)+"
)


def clauses(text: str) -> Iterator[str]:
    for clause in re.split(r"(?<=[.?!:;])\s+", text):
        if not clause.endswith("?"):
            yield clause


def said(step: Step) -> dict[str, list[Said]]:
    """The texts of a step, each with what it is said of."""
    before = position_of(step)
    shown = Said(step, before, position_of(step, begun_of(step)))
    after = []
    for token in right_turns(step) if "turn" in step["ask"] else ():
        position = before.copy()
        position.play(parse_turn(token, before.rules, before.player))
        after.append(Said(step, before, position))
    return {"text": [shown], "right": after[:20] or [shown], "wrong": [shown]}


ALL = [(game, index) for game in GAMES for index in range(len(steps(game)))]


@pytest.mark.parametrize(("game", "index"), ALL)
def test_clause_of_a_lesson_is_true_of_its_position(game: str, index: int) -> None:
    step = steps(game)[index]
    for key, occasions in said(step).items():
        for clause in clauses(step[key]):
            claims = [claim for pattern, claim in CLAIMS.items() if re.search(pattern, clause)]
            for claim in claims:
                assert all(map(claim, occasions)), f"{step['title']}: {clause}"
            known = claims or ORDER.match(clause) or FACTS_ONLY.fullmatch(clause)
            assert known or any(rule.match(clause) for rule in RULES), f"not examined: {clause}"


def test_claim_that_is_false_is_found() -> None:
    step = {**steps("product")[3], "position": "product hex2 wb/bwb/wb b 0 4"}
    (occasion,) = said(step)["text"]
    assert not CLAIMS[r"Both products|equal products"](occasion)
    assert fill("{whiteFactors} = {whiteProduct}", occasion.facts) == "3 × 0 = 0"  # noqa: RUF001
