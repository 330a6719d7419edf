"""The report of a run in a browser: the graph of what the engines state."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from playwright.sync_api import Browser, expect

from tests.support.games import SAMPLE
from tests.web.conftest import new_context
from yoddd.notation.evaluations import Evaluation
from yoddd.referee.report import RunReport
from yoddd.referee.report_html import report_html
from yoddd.referee.stats.summary import Summary

pytestmark = [pytest.mark.browser, pytest.mark.whole]


@pytest.mark.firefox
def test_report_graph_shows_statements_and_leads_to_their_turns(
    browser: Browser, tmp_path: Path
) -> None:
    errors: list[str] = []
    page = new_context(browser).new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    stated = (Evaluation(winrate=0.75), Evaluation(winrate=0.5, visits=7), None)
    plain = attrs.evolve(SAMPLE, id="plain")
    records = (attrs.evolve(SAMPLE, evaluations=stated), plain)
    summary = Summary()
    for record in records:
        summary.add(record)
    file = tmp_path / "report.html"
    file.write_text(report_html(RunReport(title="one", summary=summary, recent=records)))
    page.goto(file.as_uri())
    page.click("[data-game='0']")
    expect(page.locator(".chances circle")).to_have_count(2)
    first, second = (page.locator(".chances circle").nth(index) for index in range(2))
    heights = [float(dot.get_attribute("cy") or 0) for dot in (first, second)]
    assert heights == [25.0, 45.0]  # three quarters and one half for Black
    second.click()
    expect(page.locator(".said")).to_have_text("50.0%, 7 visits")
    assert page.locator("#viewer").inner_text().count("2. White") == 1
    page.click("[data-game='1']")
    expect(page.locator(".chances")).to_have_count(0)
    assert errors == []
    page.context.close()
