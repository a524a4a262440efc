# Broken and odd PASSAGE scenes and shards against the rules that verify names, and shards against pyarrow and duckdb.
# prints TAP and a count
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
exec "${python:-python3}" tests/peers/passage-rules.py "$@"
