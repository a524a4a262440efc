#!/bin/bash
# ZIP against Python's zipfile, TAR against tarfile and GNU tar, zst against the zstd program, on files that these make.
set -u
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
python=${python:-$(command -v python3)}
[ -n "$python" ] && "$python" -c 'import zipfile, lzma, bz2' 2>/dev/null || { echo "no Python with bz2 and lzma" >&2; exit 77; }
build=${BUILD:-plain}
make -s BUILD="$build" peers || exit 1
"$python" tests/peers/containers.py "build/$build/tests/peers/probe" "$@"
