# Every call of a writer of destinations fails, or is its last.
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
make -s tools || exit 1
exec env PYTHONPATH=tests/io python3 -c '
from crash import BUILD, Crash
Crash("sink", [BUILD / "tests/tools/sink_tool", "{dest}"]).run()
Crash.done()'
