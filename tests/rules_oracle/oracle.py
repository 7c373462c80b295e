"""Replays games on sgfmill's boards and compares everything with `goband judge`.

    python oracle.py GOBAND [--games N] [--seed N] [--records FOLDER]...

Random games on boards from 5 to 19, and the records found in the folders (`*.sgf`, and `truth.json` of a clip). One line of
JSON for every difference and one at the end with what was compared. Exit 0: no difference; 1: some; 2: could not be run.

sgfmill (PyPI) knows captures and suicide. What it does not know, repetition and ko, is kept here by plain comparison of
positions. A check is a function from (game, judged) to a list of differences; add it to CHECKS.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from sgfmill import boards, sgf

SIZES = [5, 5, 5, 6, 7, 9, 11, 13, 19]


class Game:
    """A record and, move by move, what must come of it."""

    def __init__(self, name, size, setup=()):
        self.name = name
        self.size = size
        self.sgf = sgf.Sgf_game(size=size)
        self.board = boards.Board(size)
        black = [p for c, p in setup if c == "b"]
        white = [p for c, p in setup if c == "w"]
        if setup:
            self.board.apply_setup(black, white, [])
            self.sgf.get_root().set_setup_stones(black, white)
        self.moves = []
        self.prisoners = {"B": 0, "W": 0}
        self.seen = {self.position(): 0}
        self.before_last = None
        self.turn = "b"

    def position(self):
        return tuple(map(tuple, self.board.board))

    def rows(self):
        letter = {None: ".", "b": "B", "w": "W"}
        return ["".join(letter[c] for c in row) for row in reversed(self.board.board)]

    def play(self, colour, move):
        """`move` is sgfmill's (row, col), rows from the bottom; None is a pass."""
        self.sgf.extend_main_sequence().set_move(colour, move)
        classes = set() if colour == self.turn else {"wrong_turn"}
        self.turn = other(colour)
        here = self.position()
        captured, repeats = [], None
        if move is None:
            classes |= {"pass"} if classes else {"pass", "legal"}
            if self.before_last is not None:
                self.before_last = here
        else:
            row, col = move
            occupied = self.board.get(row, col)
            if occupied:
                classes.add("occupied")
                self.board.apply_setup([], [], [move])
            old = self.position()
            self.board.play(row, col, colour)
            now = self.position()
            lost = {
                c: [(r, k) for r in range(self.size) for k in range(self.size) if old[r][k] == c and now[r][k] != c]
                for c in "bw"
            }
            captured = sorted([self.size - 1 - r, k] for r, k in lost[other(colour)])
            suicide = self.board.get(row, col) is None
            self.prisoners[colour.upper()] += len(captured)
            if suicide:
                self.prisoners[other(colour).upper()] += len(lost[colour]) + 1
                classes.add("suicide")
            if captured:
                classes.add("capture")
            repeats = self.seen.get(now)
            if repeats is not None and not suicide and not occupied:
                at_once = self.before_last == now and len(captured) == 1
                classes.add("ko" if at_once else "superko")
            if not classes - {"capture"}:
                classes.add("legal")
            self.before_last = here
            self.seen[now] = len(self.moves) + 1
        self.moves.append({"colour": colour, "captured": captured, "classes": classes, "repeats": repeats, "rows": self.rows()})


def other(colour):
    return "w" if colour == "b" else "b"


def random_game(rng, number):
    size = rng.choice(SIZES)
    game = Game(f"random {number}", size)
    # long enough for captures in most games, and for cycles on small boards
    for _ in range(rng.randint(size * size // 2, size * size * (6 if size < 7 else 2) // 2)):
        colour = game.turn if rng.random() > 0.01 else other(game.turn)
        empty = [(r, c) for r, row in enumerate(game.board.board) for c, v in enumerate(row) if v is None]
        if not empty or rng.random() < 0.03:
            game.play(colour, None)
        elif rng.random() < 0.005:
            game.play(colour, (rng.randrange(size), rng.randrange(size)))
        elif game.moves and game.moves[-1]["captured"] and rng.random() < 0.5:
            # where something was just taken, something may be taken back
            row, col = rng.choice(game.moves[-1]["captured"])
            if rng.random() < 0.3:
                game.play(game.turn, None)
                game.play(game.turn, None)
            game.play(game.turn, (size - 1 - row, col))
        else:
            game.play(colour, rng.choice(empty))
    return game


def recorded_games(folder):
    for path in sorted(folder.rglob("*.sgf")):
        for text in collection(path.read_bytes()):
            try:
                record = sgf.Sgf_game.from_bytes(text)
                if record.get_size() > 25:
                    continue
                black, white, _ = record.get_root().get_setup_stones()
                game = Game(str(path), record.get_size(), [("b", p) for p in black] + [("w", p) for p in white])
                for node in record.get_main_sequence()[1:]:
                    if node.has_setup_stones():
                        raise ValueError("setup within the game")
                    colour, move = node.get_move()
                    if colour:
                        if not game.moves:
                            game.turn = colour
                            game.sgf.get_root().set("PL", colour)
                        game.play(colour, move)
            except ValueError as e:
                print(json.dumps({"left_out": str(path), "why": str(e)}))
                continue
            yield game
    for path in sorted(folder.rglob("truth.json")):
        truth = json.loads(path.read_text())
        if not isinstance(truth, dict) or "moves" not in truth:
            continue
        size = truth["size"]
        start = truth["start_position"]
        setup = [(c.lower(), (size - 1 - r, k)) for r, row in enumerate(start) for k, c in enumerate(row) if c in "BW"]
        game = Game(truth["name"], size, setup)
        for move in truth["moves"]:
            colour = move["color"].lower()
            if not game.moves:
                game.turn = colour
                game.sgf.get_root().set("PL", colour)
            at = move["point"]
            game.play(colour, at and (size - 1 - at[0], at[1]))
        yield game


def collection(data):
    """The games of a file; sgfmill reads one at a time."""
    depth, start, quoted, escaped = 0, 0, False, False
    for i, byte in enumerate(data):
        char = chr(byte)
        if quoted:
            quoted = escaped or char != "]"
            escaped = char == "\\" and not escaped
        elif char == "[":
            quoted = True
        elif char == "(":
            start = i if depth == 0 else start
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                yield data[start : i + 1]


# --- checks: (game, judged) -> differences ---


def moves_agree(game, judged):
    if len(judged["moves"]) != len(game.moves):
        yield {"moves": len(judged["moves"]), "expected": len(game.moves)}
        return
    for n, (move, wanted) in enumerate(zip(judged["moves"], game.moves), 1):
        got = {
            "captured": sorted(move["captured"]),
            "classes": sorted(move["class"]),
            "repeats": move["repeats"],
            "rows": move["board"],
        }
        for key, value in got.items():
            expected = sorted(wanted[key]) if key == "classes" else wanted[key]
            if value != expected:
                yield {"move": n, "what": key, "goband": value, "expected": expected}
        named = move.get("repetition")
        if (named is not None) != bool({"ko", "superko"} & wanted["classes"]):
            yield {"move": n, "what": "repetition", "goband": named}
        if named and named["since"] != wanted["repeats"]:
            yield {"move": n, "what": "since", "goband": named["since"], "expected": wanted["repeats"]}


def end_agrees(game, judged):
    for key, expected in [("size", game.size), ("board", game.rows()), ("prisoners", game.prisoners)]:
        if judged[key] != expected:
            yield {"what": key, "goband": judged[key], "expected": expected}


CHECKS = [moves_agree, end_agrees]


def judge(goband, games):
    """What `goband judge` says of every game, in one run."""
    with tempfile.NamedTemporaryFile(suffix=".sgf") as file:
        for game in games:
            file.write(game.sgf.serialise())
        file.flush()
        command = [goband, "judge", file.name, "--all", "--boards", "--format", "json"]
        out = subprocess.run(command, capture_output=True, check=False)
    if out.returncode != 0:
        sys.exit(f"{' '.join(command)}: {out.stderr.decode(errors='replace')}")
    return [json.loads(line) for line in out.stdout.splitlines()]


def main():
    args = argparse.ArgumentParser()
    args.add_argument("goband")
    args.add_argument("--games", type=int, default=100)
    args.add_argument("--seed", type=int, default=20261129)
    args.add_argument("--records", type=pathlib.Path, action="append", default=[])
    args = args.parse_args()
    rng = random.Random(args.seed)
    totals = {"games": 0, "records": 0, "moves": 0, "differences": 0, "classes": {}}

    def compare(games):
        judged = judge(args.goband, games)
        if len(judged) != len(games):
            sys.exit(f"{len(games)} games, {len(judged)} answers")
        for game, answer in zip(games, judged):
            totals["moves"] += len(game.moves)
            for move in game.moves:
                for c in move["classes"]:
                    totals["classes"][c] = totals["classes"].get(c, 0) + 1
            for check in CHECKS:
                for difference in check(game, answer):
                    totals["differences"] += 1
                    if totals["differences"] <= 20:
                        print(json.dumps({"game": game.name, "check": check.__name__, **difference}))

    records = [game for folder in args.records for game in recorded_games(folder)]
    totals["records"] = len(records)
    if records:
        compare(records)
    while totals["games"] < args.games:
        count = min(100, args.games - totals["games"])
        compare([random_game(rng, totals["games"] + i) for i in range(count)])
        totals["games"] += count
    print(json.dumps(totals, sort_keys=True))
    return 1 if totals["differences"] else 0


if __name__ == "__main__":
    sys.exit(main())
