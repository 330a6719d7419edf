"""Admission: who may connect, how many, and how fast."""
