"""``python -m yoddd.kernel``: print one line if the kernel is missing, else nothing."""

import sys

from yoddd.kernel.backend import backend

if not backend().is_native:
    sys.stderr.write(f"yoddd: {backend().detail}\n")
