#!/bin/bash
# Every unit that the reference's registry has, with prefixes and plurals, in expressions, and the nearest wrong ones: the same verdict.
set -u
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
python=${python:-$(command -v python3)}
if [ -z "$python" ] || ! "$python" -c 'from timenet.types.units import ureg' 2>/dev/null; then
	echo "ok 1 - units # SKIP C4W_VENV has no timenet"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
build=${BUILD:-plain}
make -s BUILD="$build" peers || exit 1
exec "$python" -W ignore tests/peers/timef-units.py "build/$build/tests/peers/probe" "$@"
