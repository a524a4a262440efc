# extract, to-cache, missing and recipe beside the reference library, on the fixtures and on random selections.
# prints TAP and a count
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
python=${python:-python3}
if ! "$python" -c 'import numpy, pyarrow, channels4world' 2>/dev/null; then
	echo "ok 1 - preparation # SKIP Python has no channels4world"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
# In memory where that is possible: some hundred runs would wait for the disk otherwise.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
exec "$python" tests/peers/channels4world-prepare.py "$@"
