"""Transcripts: the lines of the text, and the limits of what is kept."""

from __future__ import annotations

from twisted.internet.task import Clock

from yoddd.daemon.play.transcripts import TRANSCRIPT_LIMIT, Transcript
from yoddd.referee import Seat


def test_transcript_has_a_line_for_each_piece_with_time_seat_and_way() -> None:
    clock = Clock()
    clock.advance(100)
    transcript = Transcript(clock.seconds)
    black, white = (transcript.tap(seat) for seat in Seat)
    black(">", b"1 name\n")
    clock.advance(0.25)
    white("<", b"=1 \xff\n\n")
    assert transcript.text() == ("    0.000000 b > 1 name\\n\n    0.250000 w < =1 \\xff\\n\\n\n")


def test_transcript_keeps_the_beginning_of_a_long_piece() -> None:
    transcript = Transcript(Clock().seconds)
    transcript.tap(Seat.BLACK)("<", b"x" * 5000)
    assert transcript.text() == f"    0.000000 b < {'x' * 4096} … 5000 bytes\n"


def test_transcript_over_the_limit_drops_the_oldest_pieces() -> None:
    transcript = Transcript(Clock().seconds)
    tap = transcript.tap(Seat.WHITE)
    tap("<", b"first")
    for _ in range(TRANSCRIPT_LIMIT // 4096):
        tap("<", b"x" * 4096)
    lines = transcript.text().splitlines()
    assert lines[0] == "1 earlier pieces dropped"
    assert len(lines) == 1 + TRANSCRIPT_LIMIT // 4096
    assert "first" not in transcript.text()
