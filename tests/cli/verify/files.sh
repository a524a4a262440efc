# Lone files: sound ones pass, broken ones name their rule; several operands; exit codes.
cd "$data/containers"
code c4w verify savez.npz pax.tar f4-1.npy two.zst zip64.zip ../channels4world/release/c4w-root/files.parquet
code c4w verify -q savez.npz
code c4w verify --json f4-1.npy
echo "-- with names twice"
code c4w verify twice.zip
cd "$OLDPWD"
C=$data/containers
echo "-- cut, with junk behind, with a flipped byte"
head -c 140 "$C/f4-1.npy" >short.npy
(cat "$C/f4-1.npy"; echo x) >long.npy
(cat "$C/sized.zst"; printf junk) >junk.zst
(cat "$C/sized.zst"; printf '\0\0\0\0') >zeros.zst
n=$(stat -c %s "$C/sized.zst")
head -c $((n - 2)) "$C/sized.zst" >cut.zst
head -c 1500 "$C/pax.tar" >cut.tar
cp "$C/savez.npz" flip.npz && printf X | dd of=flip.npz bs=1 seek=185 conv=notrunc status=none
cp "$data/channels4world/release/c4w-root/files.parquet" flip.parquet && chmod u+w flip.parquet && printf X | dd of=flip.parquet bs=1 seek=60 conv=notrunc status=none
head -c 1000 "$data/channels4world/release/c4w-root/files.parquet" >cut.parquet
: >empty.zip
for f in short.npy long.npy junk.zst zeros.zst cut.zst cut.tar flip.npz cut.parquet empty.zip; do code c4w verify $f; done
for f in flip.parquet; do c4w verify $f >out && fail "flip.parquet passes" || grep -q '^FAIL' out; done
echo "-- of a version to come"
n=$(LC_ALL=C grep -obUaP 'PK\x01\x02' "$C/savez.npz" | sed -n '1s/:.*//p')
cp "$C/savez.npz" later.npz && printf '\100' | dd of=later.npz bs=1 seek=$((n + 6)) conv=notrunc status=none
code c4w verify later.npz
echo "-- ignored"
code c4w verify long.npy --ignore npy.trailing
echo "-- no container"
echo text >text
code c4w verify text
mkdir folder
code c4w verify folder
code c4w verify nonesuch
code c4w verify short.npy nonesuch
mkfifo fifo
cat "$C/pax.tar" >fifo &
code c4w verify fifo
wait
