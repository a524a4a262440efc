# What is listed of each container: golden.
cd "$data/containers"
for f in savez.npz savez_compressed.npz methods.zip streamed.zip twice.zip link.zip pax.tar sparse-gnu.tar two.zst skippable-first.zst \
	f4-1.npy struct-1.npy; do
	echo "== $f"
	c4w ls "$f"
done
echo "== -l"
c4w ls -l methods.zip
c4w ls -l pax.tar
echo "== json"
c4w ls --json savez.npz
c4w ls --json pax.tar
echo "== names"
c4w ls -1 savez.npz
echo "== nul"
c4w ls -1z savez.npz | tr '\0' '!'
echo
c4w ls -z savez.npz | tr '\0' '!'
echo
