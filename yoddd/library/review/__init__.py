"""Reviews of games: every turn judged against the best one."""

from yoddd.library.review.game import (
    ExactLimits,
    GameReview,
    PlayerReview,
    Reviewer,
    ReviewInterrupted,
    ReviewSettings,
    TurnReview,
    review_game,
)
from yoddd.library.review.judgement import Chance, Grade

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
