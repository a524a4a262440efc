# JSON and float text against Python's own module.
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
make -s units || exit 1
exec python3 tests/peers/json_peer.py
