"""Errors of the rules: a refused turn, a refused position, nothing to take back."""


class IllegalTurn(ValueError):
    """A turn that the rules forbid; ``reason`` says why, such as ``12 groups, even``."""

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        super().__init__(reason)
        self.reason = reason


class GameOver(IllegalTurn):
    """A turn after the end of the game."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("the game is over")


class WrongTotal(IllegalTurn):
    """A turn, or a pass, that would leave a number of groups of the wrong parity."""


class IllegalPosition(ValueError):
    """A position that the rules cannot start from.

    Attributes:
        about: what is to blame: ``placement``, ``passes`` or ``turn``.
    """

    def __init__(self, reason: str, about: str = "placement") -> None:
        """Store the reason and the part to blame."""
        super().__init__(reason)
        self.about = about


class CannotUndo(ValueError):
    """There is no turn to take back."""
