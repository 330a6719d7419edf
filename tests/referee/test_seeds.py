"""Seeds that are derived from others, and the exports of the package."""

from __future__ import annotations

import pytest

from yoddd.referee import derive_seed


@pytest.mark.invariant
def test_derive_seed_values_are_stable() -> None:
    seeds = [derive_seed(7), derive_seed(7, 1), derive_seed(7, 1, 0), derive_seed(71, 0)]
    assert seeds == [1940392933, 1779727153, 517336322, 629019142]
    assert all(0 <= derive_seed(seed) < 2**31 for seed in range(1000))
