"""Plays random games on sgfmill's boards and compares them with `goband judge`.

    python tests/rules_oracle.py target/debug/goband [games]

sgfmill (PyPI) knows captures and suicide; repetition is compared with plain bookkeeping here. Exit 0: all agree.
"""

import json
import random
import subprocess
import sys
import tempfile

from sgfmill import boards, sgf


def random_game(rng, size, moves):
    """SGF bytes and, move by move, what is expected: (captured, classes, position number repeated or None)."""
    game = sgf.Sgf_game(size=size)
    board = boards.Board(size)
    seen = {position(board): 0}
    expected = []
    before_last = None
    colour = "b"
    for number in range(1, moves + 1):
        node = game.extend_main_sequence()
        here = position(board)
        empty = board.side ** 2 - len(board.list_occupied_points())
        if rng.random() < 0.03 or not empty:
            node.set_move(colour, None)
            expected.append(([], {"legal", "pass"}, None))
            before_last = None if before_last is None else here
        else:
            row, col = rng.choice([p for p in points(size) if board.get(*p) is None])
            node.set_move(colour, (row, col))
            old = {p: c for c, p in board.list_occupied_points()}
            board.play(row, col, colour)
            now = {p: c for c, p in board.list_occupied_points()}
            # sgfmill counts rows from the bottom
            captured = sorted([size - 1 - r, c] for (r, c), k in old.items() if k != colour and (r, c) not in now)
            suicide = (row, col) not in now
            repeats = seen.get(position(board))
            classes = {"capture"} if captured else set()
            if suicide:
                classes.add("suicide")
            elif repeats is not None:
                at_once = before_last is not None and before_last == position(board) and len(captured) == 1
                classes.add("ko" if at_once else "superko")
            else:
                classes.add("legal")
            expected.append((captured, classes, repeats))
            before_last = here
            seen[position(board)] = number
        colour = "w" if colour == "b" else "b"
    return game.serialise(), expected, rows(board)


def points(size):
    return [(r, c) for r in range(size) for c in range(size)]


def position(board):
    return frozenset(board.list_occupied_points())


def rows(board):
    letter = {None: ".", "b": "B", "w": "W"}
    side = range(board.side)
    return ["".join(letter[board.get(board.side - 1 - r, c)] for c in side) for r in side]


def main():
    goband = sys.argv[1]
    games = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    rng = random.Random(20261129)
    seen_classes = set()
    for number in range(games):
        size = rng.choice([3, 4, 5, 9, 13, 19])
        text, expected, final = random_game(rng, size, rng.randint(1, 6 * size * size // 2))
        with tempfile.NamedTemporaryFile(suffix=".sgf") as file:
            file.write(text)
            file.flush()
            out = subprocess.run([goband, "judge", file.name, "--format", "json"], capture_output=True, check=True)
        judged = json.loads(out.stdout)
        assert judged["board"] == final, (number, judged["board"], final)
        assert len(judged["moves"]) == len(expected), number
        for move, (captured, classes, repeats) in zip(judged["moves"], expected):
            got = (sorted(move["captured"]), set(move["class"]), move["repeats"])
            assert got == (captured, classes, repeats), (number, move, captured, classes, repeats)
            seen_classes |= classes
    missing = {"legal", "capture", "pass", "ko", "superko", "suicide"} - seen_classes
    assert not missing, f"the games never showed {missing}"
    print(f"{games} random games agree with sgfmill")


if __name__ == "__main__":
    main()
