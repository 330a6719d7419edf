"""The file of a tuning: what is tuned and the results of the pairs so far."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import attrs
import click

from yoddd.cli.files import write_whole

if TYPE_CHECKING:
    from yoddd.referee.stats.spsa import Spsa, Values

FORMAT: Final = 1


@attrs.define
class TuningFile:
    """A tuning and its file. The values follow from the results, so that only these are kept.

    Attributes:
        path: the file.
        terms: what the results depend on besides the parameters: the engine, the game, the limit.
        spsa: the parameters and the gains.
        results: for each pair the games that its first side has won less those that it lost.
        values: the values after them.
    """

    path: Path
    terms: Mapping[str, Any]
    spsa: Spsa
    results: list[int]
    values: Values = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        *_, self.values = self.spsa.path(self.results)

    @classmethod
    def open(cls, path: Path, terms: Mapping[str, Any], spsa: Spsa) -> Self:
        """Begin a tuning, or go on with that of the file.

        Raises:
            ClickException: the file holds another tuning, or none.
        """
        fresh = cls(path, terms, spsa, [])
        if not path.exists():
            return fresh
        found = cls.read(path)
        wanted, other = fresh.head(), found.head()
        for key, value in wanted.items():
            if other[key] != value:
                raise click.ClickException(
                    f"{path} holds another tuning: {key} is {other[key]!r}, not {value!r}"
                )
        return found

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            ClickException: it is no such file.
        """
        from yoddd.referee.stats.spsa import Knob, Spsa

        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            form, terms, spsa = content["format"], content["terms"], content["spsa"]
            knobs = tuple(Knob(**knob) for knob in spsa.pop("knobs"))
            results = [int(result) for result in content["results"]]
            found = cls(path, dict(terms), Spsa(knobs=knobs, **spsa), results)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise click.ClickException(f"{path} is no file of a tuning: {error}") from None
        if form != FORMAT:
            raise click.ClickException(f"{path} is of another version: {form}")
        return found

    def add(self, results: Iterable[int]) -> None:
        """Take the results of the next pairs, and write the file."""
        for result in results:
            self.results.append(result)
            self.values = self.spsa.move(self.values, len(self.results), result)
        spsa = attrs.asdict(self.spsa)
        content = {"format": FORMAT, "terms": self.terms, "spsa": spsa, "results": self.results}
        write_whole(self.path, json.dumps(content) + "\n")

    def describe(self) -> str:
        """The number of games and the present values, in one line."""
        pairs = zip(self.spsa.knobs, self.values, strict=True)
        words = (f"{knob.name}={knob.spell(value)}" for knob, value in pairs)
        return f"{2 * len(self.results)} games: {' '.join(words)}"

    def head(self) -> dict[str, Any]:
        """Return everything that the results depend on, as JSON values."""
        head: dict[str, Any] = json.loads(json.dumps({**self.terms, **attrs.asdict(self.spsa)}))
        return head
