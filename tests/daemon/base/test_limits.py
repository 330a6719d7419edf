"""The limits in force."""

from __future__ import annotations

import attrs
import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.admission import Admission, Refused
from yoddd.daemon.base.limits import CurrentLimits


def test_current_limits_apply_to_their_users_once_replaced() -> None:
    limits = CurrentLimits()
    admission = Admission(limits, Clock().seconds)
    admission.admit("a", None)
    limits.value = attrs.evolve(limits.value, connections=1)
    with pytest.raises(Refused, match="too many connections"):
        admission.admit("b", None)
    limits.value = attrs.evolve(limits.value, connections=2)
    admission.admit("b", None)
