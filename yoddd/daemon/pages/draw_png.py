"""A script that reads an SVG and writes the processor's seconds it took, and the PNG's content.

It is run by its path: to import a module of its package would take longer than to draw.
"""

from __future__ import annotations

import os
import sys
import time


def main() -> None:
    """Draw what is on standard input."""
    import resvg_py  # of an extra

    if hasattr(os, "nice"):
        os.nice(10)  # players and searches come first
    image = bytes(resvg_py.svg_to_bytes(svg_string=sys.stdin.buffer.read().decode()))
    sys.stdout.buffer.write(b"%.6f\n" % time.process_time() + image)


if __name__ == "__main__":
    main()
