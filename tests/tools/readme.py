#!/usr/bin/env python3
"""Runs the examples of README.md and compares what comes out with what is shown.

    readme.py README DIR      DIR: where the commands run, with the datasets that they name

An example is a block of lines between fences whose first line begins with "$ "; what stands below a command is its output, standard error first.
"..." stands for anything, a line of it alone for any lines. A command without output below must only end well. Durations, rates and free space are not
compared. A name of /data stands for DIR. Listings may be shown as on a terminal of 160 columns.
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

VOLATILE = [(r" in [0-9.]+ s \([^)]*/s\)", " in T"), (r"\([0-9.]+ [KMGTP]?B free\)", "(free)")]


def examples(text):
    """[(line number, command, [output line])]"""
    out, inside = [], False
    for n, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside, first = not inside, True
        elif inside and line.startswith("$ ") and (first or inside == 2):
            inside, first = 2, False
            out.append((n, line[2:], []))
        elif inside == 2:
            out[-1][2].append(line)
        else:
            first = False
    return out


def plain(text):
    for pattern, with_ in VOLATILE:
        text = re.sub(pattern, with_, text)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def same(want, got):
    lines = [".*" if x.strip() == "..." else re.escape(x).replace(r"\.\.\.", "[^\n]*") for x in plain(want).split("\n")]
    pattern = "\n".join(lines).replace(".*\n", "(?:.*\n)?").replace("\n.*", "(?:\n.*)?")
    return re.fullmatch(pattern, plain(got), re.S) is not None


def on_terminal(command, where):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    p = subprocess.Popen(["bash", "-c", command], cwd=where, stdout=slave, stderr=subprocess.PIPE)
    os.close(slave)
    got = b""
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        got += more
    err = p.communicate()[1]
    os.close(master)
    return (err + got.replace(b"\r\n", b"\n")).decode(errors="replace")


def main():
    readme, where = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    ran = failed = 0
    for n, command, want in examples(readme.read_text()):
        if not re.match(r"(\S+ )?\|?c4w |c4w-", command):
            continue
        p = subprocess.run(["bash", "-c", command], cwd=where, capture_output=True, timeout=60)
        got = (p.stderr + p.stdout).decode(errors="replace").replace(str(where), "/data")
        shown = "\n".join(want)
        ran += 1
        if shown.strip() and not same(shown, got) and re.match(r"c4w (ls|channel) ", command):
            got = on_terminal(command, where)
        if (not shown.strip() and p.returncode) or (shown.strip() and not same(shown, got)):
            failed += 1
            print(f"README line {n}: {command}\nshown:\n{shown}\ncame (exit {p.returncode}):\n{got[:3000]}\n")
    print(f"{ran} examples, {failed} differ")
    return failed != 0


if __name__ == "__main__":
    raise SystemExit(main())
