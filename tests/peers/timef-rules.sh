# Broken TimeF data sets and their legal neighbours, one for each rule, against c4w and the reference's verify().
# prints TAP and a count
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
python=${python:-python3}
if ! "$python" -c 'import pyarrow' 2>/dev/null; then
	echo "ok 1 - broken data sets # SKIP Python has no pyarrow"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
exec "$python" tests/peers/timef-rules.py
