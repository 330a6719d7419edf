"""Reviews of games: every turn judged against the best one."""

from yoddd.library.review.exact import ExactLimits
from yoddd.library.review.game import (
    GameReview,
    PlayerReview,
    Reviewer,
    ReviewInterrupted,
    ReviewSettings,
    TurnReview,
    review_game,
)
from yoddd.library.review.judgement import (
    THRESHOLDS,
    Chance,
    Grade,
    accuracy_of,
    game_accuracy,
    grade_of,
    loss_of,
)

__all__ = [
    "THRESHOLDS",
    "Chance",
    "ExactLimits",
    "GameReview",
    "Grade",
    "PlayerReview",
    "ReviewInterrupted",
    "ReviewSettings",
    "Reviewer",
    "TurnReview",
    "accuracy_of",
    "game_accuracy",
    "grade_of",
    "loss_of",
    "review_game",
]
