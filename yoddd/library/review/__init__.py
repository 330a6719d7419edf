"""Reviews of games: every turn judged against the best one."""

from yoddd.library.review.game import (
    Chance,
    ExactLimits,
    GameReview,
    Grade,
    PlayerReview,
    Reviewer,
    ReviewInterrupted,
    ReviewSettings,
    TurnReview,
    review_game,
)

__all__ = [
    "Chance",
    "ExactLimits",
    "GameReview",
    "Grade",
    "PlayerReview",
    "ReviewInterrupted",
    "ReviewSettings",
    "Reviewer",
    "TurnReview",
    "review_game",
]
