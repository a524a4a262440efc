#!/bin/bash
# Parquet against pyarrow, duckdb and polars: random files in both directions. FILES (200) and SEED (random) may be set; 77: no judges.
set -u
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
python=${python:-python3}
"$python" -c 'import pyarrow.parquet' 2>/dev/null || { echo "Python has no pyarrow"; exit 77; }
make -s tools || exit 1
"$python" tests/peers/parquet_roundtrip.py build/plain/tests/tools/pq_tool --files "${FILES:-200}" ${SEED:+--seed "$SEED"}
