# The documented command lines of the Python package, with its own command and with c4w.
# prints TAP and a count
cd "$(dirname "$0")/../.." || exit 1
if [ ! -x "${C4W_VENV-}/bin/c4w" ]; then
	echo "ok 1 - command lines # SKIP C4W_VENV has no c4w"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
exec "$C4W_VENV/bin/python" tests/peers/channels4world-cli.py
