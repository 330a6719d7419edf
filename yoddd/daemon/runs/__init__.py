"""Tournaments and single matches as programs: execution, archive, reports, control."""
