"""Reviews as one HTML file."""

from __future__ import annotations

import json
import re

import attrs
import pytest

from tests.support.reviews import HEADING, ONE_OF_EACH, blundered
from yoddd.daemon.pages.static_site import review_file
from yoddd.kernel import backend
from yoddd.library.review.as_json import as_json


@pytest.mark.skipif(not backend().is_native, reason=backend().detail)
def test_review_file_holds_the_games_and_loads_nothing() -> None:
    _, review = blundered(ONE_OF_EACH[0])
    named = attrs.evolve(HEADING, black="</script><b>")
    reviews = [as_json(review, heading) for heading in (named, HEADING)]
    page = review_file(reviews)
    held = re.findall(r'<script type="application/json" id="reviewed">(.*?)</script>', page)
    assert [json.loads(text) for text in held] == [reviews]
    assert page.count("</script") == page.count("<script") == 3
    assert "default-src 'none'" in page
    assert re.findall(r'<(?:link|script)[^>]* (?:src|href)="([^"]*)"', page) == ["data:,"]
