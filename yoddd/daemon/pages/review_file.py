"""Reviews as one HTML file: the page of the board with the games inside, which loads nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from yoddd.daemon.pages.joined import join_page
from yoddd.daemon.pages.shell import policy_element, render_file
from yoddd.pictures.scripts import data_element, read_resource

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; media-src blob:; base-uri 'none'; form-action 'none'"
)
"""The sources that the file may load from: itself."""

_NO_LINKS: Final = "a:is([href*='.html'], [href='#']) { display: none; }"
"""The other pages are not beside the file; `hrefOf` makes `#` of their addresses."""


def review_file(reviews: Sequence[Mapping[str, object]]) -> str:
    """Return the file of some reviews, which are as `yoddd.library.review.as_json` has them."""
    page = join_page(render_file(), lambda path: read_resource(f"web/{path}"), is_alone=True)
    html = page.html
    for path, text in page.files.items():
        for loaded, held in (
            (f'<link rel="stylesheet" href="{path}">', f"<style>{text}{_NO_LINKS}</style>"),
            (f'type="module" src="{path}">', f'type="module">{text}'),
        ):
            html = html.replace(loaded, held)
    html = html.replace("<head>\n", f"<head>\n{policy_element(_POLICY)}", 1)
    html = html.replace("icon.svg", "data:,")
    return html.replace("</body>", f"{data_element('reviewed', reviews)}</body>")
