#!/bin/bash
# Every transform of every channel of the fixtures and of a generated root, within 1e-12 of the reference's.
set -u
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
[ -n "$python" ] && "$python" -c 'import channels4world, pyarrow' 2>/dev/null || { echo "no Python with channels4world and pyarrow (C4W_VENV)" >&2; exit 77; }
build=${BUILD:-plain}
make -s BUILD="$build" all || exit 1
"$python" tests/peers/transforms.py "build/$build/c4w" "$@"
