"""Tournaments and single matches as programs: scheduling, archive, reports, remote control."""
