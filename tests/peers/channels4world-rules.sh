# Broken Channels4World roots and their legal neighbours, one for each rule, against c4w and the reference library.
# prints TAP and a count
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
python=${python:-python3}
if ! "$python" -c 'import numpy, pyarrow' 2>/dev/null; then
	echo "ok 1 - broken roots # SKIP Python has no numpy and pyarrow"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
exec "$python" tests/peers/channels4world-rules.py
