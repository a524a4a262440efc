# member paths that a derived root can't have: nothing is written for them; odd ones that it can have
need_python numpy pyarrow
cat >make.py <<'END'
import sys
sys.path.insert(0, sys.argv[1] + "/../tools")
import break_channels4world as br
paths = {"same": lambda rows: rows[0]["member_path"], "root": lambda rows: "c4w-root.json", "table": lambda rows: "c4w-root/files.parquet",
         "snapshot": lambda rows: "groups/test-urban-g00000/snapshot.json", "long": lambda rows: "d/" * 2100 + "x",
         "odd": lambda rows: "a\nb/\x1b[31m \u00fc.npz"}
maker = br.Maker()
for name, f in paths.items():
    def change(rows, f=f):
        rows[-1 if name == "same" else 0]["member_path"] = f(rows)
    maker.make(br.Case(name, None, br.members_rows(change), br.AGREE, "", False, "release", None), __import__("pathlib").Path(name))
END
PYTHONDONTWRITEBYTECODE=1 "$python" make.py "$data"
for name in same root table snapshot long; do
	code c4w extract "$name" "$name-out" 2>&1 | cut -c1-150
	[ ! -e "$name-out" ] || fail "$name: something was written"
done
expect 0 c4w extract odd odd-out 2>/dev/null
c4w verify odd-out
