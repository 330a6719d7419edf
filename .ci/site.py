"""Writes the site that needs no server: ``python .ci/site.py FOLDER``; see ``make site``."""

from __future__ import annotations

import sys
from pathlib import Path

from yoddd.daemon.pages.browser_engine import shipped_engine
from yoddd.daemon.pages.static_site import NoEngine, write_site
from yoddd.extras import ExtraMissing


def main() -> None:
    """Write it."""
    if len(sys.argv) != 2:
        sys.exit("usage: python .ci/site.py FOLDER")
    try:
        size = write_site(Path(sys.argv[1]), shipped_engine())
    except (NoEngine, ExtraMissing) as error:
        sys.exit(str(error))
    print(f"{sys.argv[1]}: {size} bytes; serve it, or open it with `python -m http.server -d`")


if __name__ == "__main__":
    main()
