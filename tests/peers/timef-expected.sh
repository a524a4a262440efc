# Every field of the fixtures' expected.json (made by the reference) out of c4w; further data sets by C4W_TIMEF, a folder of registry roots
# as the generator of the fixtures writes them.
# prints TAP and a count
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
set -- tests/data/timef/gen/*.expected.json ${C4W_TIMEF:+"$C4W_TIMEF"/*/*.expected.json}
exec "${python:-python3}" tests/peers/timef-expected.py ./c4w "$@"
