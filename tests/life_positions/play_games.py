#!/usr/bin/env python3
"""Finished games with what GNU Go holds to be dead, one JSON object a line: play_games.py > finished_games.jsonl

GNU Go (Debian's package gnugo) plays against itself through GTP until both pass; then it is asked which stones are dead. The seeds
make the games the same every time with the same version (3.8).
"""
import json
import subprocess
import sys

GAMES = [(9, 40, 6), (13, 20, 5), (19, 12, 3)]  # size, games, level
COLUMNS = "ABCDEFGHJKLMNOPQRST"


class GnuGo:
    def __init__(self, seed, level):
        self.process = subprocess.Popen(
            ["gnugo", "--mode", "gtp", "--seed", str(seed), "--level", str(level), "--chinese-rules"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().rstrip("\n")) or not lines:
            lines.append(line)
        answer = "\n".join(lines)
        if not answer.startswith("="):
            raise SystemExit(f"gnugo: {command}: {answer}")
        return answer[1:].strip()


def at(vertex, size):
    return [size - int(vertex[1:]), COLUMNS.index(vertex[0])]


def play(seed, size, level):
    gnugo = GnuGo(seed, level)
    gnugo.ask(f"boardsize {size}")
    gnugo.ask("komi 7.5")
    passes, turn, moves = 0, 0, 0
    while passes < 2 and moves < 2 * size * size:
        vertex = gnugo.ask("genmove " + "bw"[turn]).split()[-1].upper()
        if vertex == "RESIGN":
            return None
        passes = passes + 1 if vertex == "PASS" else 0
        turn, moves = 1 - turn, moves + 1
    rows = [["."] * size for _ in range(size)]
    for color, letter in (("black", "B"), ("white", "W")):
        for vertex in gnugo.ask("list_stones " + color).split():
            r, c = at(vertex, size)
            rows[r][c] = letter
    dead = sorted(at(v, size) for v in gnugo.ask("final_status_list dead").split())
    gnugo.process.stdin.close()
    return {"board": ["".join(r) for r in rows], "dead": dead}


for size, games, level in GAMES:
    seed = done = 0
    while done < games:
        seed += 1
        game = play(seed, size, level)
        if game:
            print(json.dumps(game, separators=(",", ":")), flush=True)
            done += 1
            print(f"{size}x{size}: {done} of {games}", file=sys.stderr)
