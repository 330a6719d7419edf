#!/usr/bin/env python3
"""Plays Yodd, Xodd, Odd, Yoin and Product, legally and at random. Standard library only."""

import random
import sys

BOARDS = {"yodd": "hex8", "xodd": "square12", "odd": "hex5", "yoin": "hex8", "product": "hex5"}


class Refused(Exception):
    """A request that is answered with `?`."""


def cells_of(board):
    """Return the adjacent cells of every cell of a board."""
    shape, size = board.rstrip("0123456789").rstrip("-"), int(board.lstrip("hexsquar-"))
    if shape not in ("hex", "square") or not 2 <= size <= (13 if shape == "hex" else 25):
        raise Refused("unacceptable size")
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    if shape == "square":
        names = {(x, y): f"{chr(97 + x)}{y + 1}" for x in range(size) for y in range(size)}
    else:
        steps += [(1, -1), (-1, 1)]
        span = range(1 - size, size)
        names = {
            (q, r): f"{chr(97 + size - 1 - r)}{q + size - max(0, -r)}"
            for q in span
            for r in span
            if abs(q + r) < size
        }
    return {
        name: [names[x + i, y + j] for i, j in steps if (x + i, y + j) in names]
        for (x, y), name in names.items()
    }


class Bot:
    """One game and the commands that change it."""

    def __init__(self):
        self.rng = random.Random()
        self.do_game("yodd")

    def do_protocol_version(self):
        return "2"

    def do_name(self):
        return "Python bot"

    def do_version(self):
        return "1.0"

    def do_list_commands(self):
        return "\n".join(sorted(name[3:] for name in dir(self) if name.startswith("do_")))

    def do_known_command(self, name):
        return "true" if hasattr(self, "do_" + name.lower()) else "false"

    def do_quit(self):
        return ""

    def do_set_param(self, name, value):
        if name != "seed":
            raise Refused("syntax error: no such parameter")
        self.rng.seed(int(value))
        return ""

    def do_game(self, game, *rest):
        game, options = game.lower(), [word.lower() for word in rest]
        if game not in BOARDS:
            raise Refused("syntax error: no such game")
        board = options.pop(0) if options and "=" not in options[0] else BOARDS[game]
        self.beside = cells_of(board)
        self.game, self.board = game, board
        self.own = game == "yoin" or "own_colour=on" in options
        self.pie = game == "yoin" and "pie=off" not in options
        return self.do_clear_board()

    def do_boardsize(self, size):
        board = self.board.rstrip("0123456789") + str(int(size))
        self.beside, self.board = cells_of(board), board
        return self.do_clear_board()

    def do_clear_board(self):
        self.stones, self.turns = {}, 0
        return ""

    def do_play(self, player, turn):
        colour, turn = colour_of(player), turn.lower()
        stones = {}
        if turn not in ("pass", "swap", "resign"):
            for stone in turn.split(","):
                own = stone if stone[0] in "12" else colour + stone
                if own[1:] not in self.beside or own[1:] in self.stones:
                    raise Refused(f"syntax error: {stone}")
                stones[own[1:]] = own[0]
        self.stones.update(stones)
        self.turns += 1
        return ""

    def do_genmove(self, player):
        turn = self.choose(colour_of(player))
        self.do_play(player, turn)
        return turn

    def groups(self):
        """Count the groups of both colours."""
        seen, count = set(), 0
        for start, colour in self.stones.items():
            if start not in seen:
                count += 1
                seen.add(start)
                frontier = [start]
                while frontier:
                    for cell in self.beside[frontier.pop()]:
                        if cell not in seen and self.stones.get(cell) == colour:
                            seen.add(cell)
                            frontier.append(cell)
        return count

    def is_odd_with(self, *stones):
        """Return whether the number of groups is odd with `stones` on the board."""
        self.stones.update((stone[1:], stone[0]) for stone in stones)
        odd = self.groups() % 2 == 1
        for stone in stones:
            del self.stones[stone[1:]]
        return odd

    def choose(self, colour):
        """Return a legal turn of `colour`, as a token."""
        empty = [cell for cell in self.beside if cell not in self.stones]
        stones = [c + cell for c in (colour if self.own else "12") for cell in empty]
        self.rng.shuffle(stones)
        if self.game in ("odd", "yoin"):
            if self.pie and self.turns == 1 and self.rng.random() < 0.5:
                return "swap"
            return (stones[0][1:] if self.game == "yoin" else stones[0]) if stones else "resign"
        if self.game == "product":
            cells = list(dict.fromkeys(stone[1:] for stone in stones))[: 2 if self.turns else 1]
            return ",".join(self.rng.choice("12") + cell for cell in cells) or "resign"
        may_pass = self.is_odd_with()
        if may_pass and not self.own and self.rng.random() < 0.1:
            return "pass"
        if self.turns and self.rng.random() < 0.5:
            stones.sort(key=self.is_odd_with)  # pairs first, for variety
        for first in stones:
            if self.is_odd_with(first):
                return first
            for second in stones if self.turns else ():
                if second[1:] != first[1:] and self.is_odd_with(first, second):
                    return f"{first},{second}"
        return "pass" if may_pass else "resign"


def colour_of(player):
    """Return the digit of a player's colour."""
    colours = {"b": "1", "black": "1", "w": "2", "white": "2"}
    if player.lower() not in colours:
        raise Refused("syntax error: expected b or w")
    return colours[player.lower()]


def answer(bot, number, command, args):
    """Return the reply to one request."""
    handler = getattr(bot, "do_" + command, None)
    try:
        if handler is None:
            raise Refused("unknown command")
        return f"={number} {handler(*args)}\n\n"
    except Refused as refusal:
        return f"?{number} {refusal}\n\n"
    except (TypeError, ValueError, IndexError):
        return f"?{number} syntax error\n\n"


def main():
    """Answer requests until `quit` or the end of input."""
    bot = Bot()
    for line in sys.stdin.buffer:
        if not line.endswith(b"\n"):
            break  # an unfinished line is no request
        text = line.decode("utf-8", "replace").partition("#")[0].replace("\t", " ")
        words = "".join(c for c in text if c.isprintable()).split()
        number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
        if words or number:
            command = words[0].lower() if words else ""
            sys.stdout.write(answer(bot, number, command, words[1:]))
            sys.stdout.flush()
            if command == "quit":
                break


if __name__ == "__main__":
    main()
