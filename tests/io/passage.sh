# Every call of decode-passage fails, or is its last, while a large tensor is half written; then the run is finished with --skip-existing.
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null && command -v zstd >/dev/null || { echo "no python3, no zstd" >&2; exit 77; }
make -s all tools || exit 1
# In memory where that is possible: each of some hundred runs would wait for the disk otherwise.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
exec env PYTHONPATH=tests/io python3 tests/io/passage.py
