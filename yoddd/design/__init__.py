"""The design report: what self-play says about a game on a board, as one HTML page.

`plan` lists the games and searches that it needs, `run` carries out one of them, and
`examine` turns their results into a `DesignReport`, which `design_html` prints. Needs the extra
``plot``.
"""

from yoddd.design.plan import Plan, plan
from yoddd.design.report import DesignReport, examine
from yoddd.design.selfplay import run

__all__ = ["DesignReport", "Plan", "examine", "plan", "run"]
