"""Counts positions with sgfmill's `Board.area_score()` and compares it with `goband count`.

    python area.py GOBAND [--positions N] [--seed N]

Random positions on boards from 2 to 19, played legally until they are more or less full, with some chains said to be dead. One
line of JSON for every difference and one at the end with what was compared. Exit 0: no difference; 1: some.

sgfmill gives every empty region to the colour that alone it touches; Black's points less White's, every stone alive.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from sgfmill import boards

METHODS = ["area", "fill", "equal", "equal-moves"]


def random_position(rng, size):
    """A board after legal random moves that leave most one-point eyes alone."""
    board = boards.Board(size)
    colour = "b"
    for _ in range(rng.randint(1, 4 * size * size)):
        empty = [(r, c) for r in range(size) for c in range(size) if board.get(r, c) is None]
        rng.shuffle(empty)
        for row, col in empty[:8]:
            around = [board.get(r, c) for r, c in neighbours(size, row, col)]
            if all(n == colour for n in around) and rng.random() < 0.95:
                continue
            after = board.copy()
            after.play(row, col, colour)
            if after.get(row, col) is not None:
                board = after
                break
        colour = "w" if colour == "b" else "b"
    return board


def neighbours(size, row, col):
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    return [(r, c) for r, c in around if 0 <= r < size and 0 <= c < size]


def chain(board, row, col):
    colour, found, left = board.get(row, col), {(row, col)}, [(row, col)]
    while left:
        for p in neighbours(board.side, *left.pop()):
            if p not in found and board.get(*p) == colour:
                found.add(p)
                left.append(p)
    return found


def rows(board):
    letter = {None: ".", "b": "B", "w": "W"}
    return ["".join(letter[c] for c in row) for row in reversed(board.board)]


def quarters(text):
    """`-3 1/2` to -14."""
    sign, text = (-1, text[1:]) if text.startswith("-") else (1, text)
    total = 0
    for part in text.split():
        top, _, bottom = part.partition("/")
        total += 4 * int(top) // int(bottom or 1)
    return sign * total


def count(goband, folder, board, dead, method):
    path = pathlib.Path(folder) / "board.txt"
    path.write_text("\n".join(rows(board)) + "\n")
    command = [goband, "count", "--board", str(path), "--ruleset", "japan-korea", "--komi", "0", "--method", method]
    if dead:
        # sgfmill counts rows from the bottom
        command += ["--dead", " ".join(f"{board.side - 1 - r},{c}" for r, c in dead)]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("goband")
    parser.add_argument("--positions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=20261130)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    differences, shared, taken = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.positions):
            board = random_position(rng, rng.choice([2, 3, 5, 6, 9, 13, 19]))
            stones = [p for _, p in board.list_occupied_points()]
            dead = rng.sample(stones, min(len(stones), rng.choice([0, 0, 1, 3])))
            left = board.copy()
            gone = set().union(*[chain(board, *p) for p in dead])
            left.apply_setup([], [], list(gone))
            expected = left.area_score()
            # which method must not matter
            method = METHODS[number % len(METHODS)]
            got = count(args.goband, folder, board, dead, method)
            ahead = quarters(got["black"]) - quarters(got["white"])
            result = "draw" if expected == 0 else f"{'B' if expected > 0 else 'W'}+{abs(expected)}"
            off = sorted((board.side - 1 - r, c) for r, c in gone)
            if (ahead, got["result"], sorted(map(tuple, got["dead"]))) != (4 * expected, result, off):
                differences += 1
                print(json.dumps({"position": number, "method": method, "board": rows(board), "dead": dead,
                                  "expected": expected, "got": got}))
            shared += got["shared"]
            taken += len(gone)
    print(json.dumps({"positions": args.positions, "differences": differences, "shared": shared, "dead": taken}))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
