#!/bin/bash
# Archives beyond 4 GiB and beyond 65,535 entries, sparse on disk, in little memory.
set -u
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
python=${python:-$(command -v python3)}
[ -n "$python" ] || { echo "no Python" >&2; exit 77; }
build=${BUILD:-plain}
make -s BUILD="$build" peers || exit 1
"$python" tests/peers/large.py "build/$build/tests/peers/probe"
