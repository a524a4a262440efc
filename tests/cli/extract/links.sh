# no write goes through a symbolic link inside the destination; the destination itself may be one
r=$data/channels4world/release
mkdir real outside
ln -s real dest
c4w extract "$r" dest --split test -q
c4w verify real
rm -r real/records
ln -s "$PWD/outside" real/records
code c4w extract "$r" dest --split test --skip-existing -q | head -n 3
code c4w verify dest 2>&1 | tail -n 2
find outside | wc -l
rm real/records
c4w extract "$r" dest --split test --skip-existing -q
f=$(find real/ -name '*.npz' | sort | head -n 1)
mv "$f" outside/copy
ln -s "$PWD/outside/copy" "$f"
rm real/c4w-root.json
c4w extract "$r" dest --split test --skip-existing -q
test ! -L "$f"
c4w verify dest
