"""``python -m yoddd.kernel``: one line about a kernel that is missing; nothing if all is well."""

import sys

from yoddd.kernel.backend import backend

if not backend().is_native:
    sys.stderr.write(f"yoddd: {backend().detail}\n")
