#!/bin/bash
# 500 random arrays (dtypes, shapes, orders, NPY versions): headers, printing and slices, judged by numpy.
set -u
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
[ -n "$python" ] && "$python" -c 'import numpy' 2>/dev/null || { echo "no Python with numpy (C4W_VENV)" >&2; exit 77; }
build=${BUILD:-plain}
make -s BUILD="$build" peers || exit 1
"$python" tests/peers/arrays.py "build/$build/tests/peers/probe" "$@"
