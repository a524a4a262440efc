"""Start-up: what every command pays."""


def run(b):
    b.row("c4w --version", {"c4w": [b.c4w, "--version"]}, ["true"], theirs_name="true", seconds={"c4w": 0.003}, runs=4 * b.runs)
