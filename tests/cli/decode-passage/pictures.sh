# Pictures: their size, that they hold what was drawn, and the terminal's three ways.
tree=$data/passage/tree
blob=$(echo "$tree"/16/train/tensors/*/*/0000000001.npy.zst)
code=0
c4w decode-passage "$blob" --format png -o a.png 2>err || code=$?
[ "$code" != 4 ] || skip "$(cat err)"
[ "$code" = 0 ]
size() { od -An -j16 -N8 -tu1 "$1" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }'; }
head -c 8 a.png | od -An -tx1 | grep -q '89 50 4e 47 0d 0a 1a 0a'
[ "$(size a.png)" = "1022 854" ]
c4w decode-passage "$blob" --format png --size 500 -o b.png
[ "$(size b.png)" = "754 586" ]
c4w decode-passage "$blob" --format png --scale 40 -o c.png
[ "$(size c.png)" = "894 726" ]
c4w decode-passage "$blob" --format png --raw-elevation -o d.png
[ "$(size d.png)" = "16 16" ]
c4w decode-passage "$blob" --format png --size 32 -o s.png
[ "$(size s.png)" = "404 546" ]
# the same picture twice, another with other routes
c4w decode-passage "$blob" --format png -o e.png
cmp a.png e.png
c4w decode-passage "$blob" --format png --solver slope -o f.png
! cmp -s a.png f.png
c4w decode-passage "$blob" --show --color never >plain
[ "$(grep -c S plain)" -ge 1 ] && [ "$(grep -c G plain)" -ge 1 ]
LC_ALL=C.UTF-8 TERM=xterm COLORTERM=truecolor c4w decode-passage "$blob" --show --color always >true
grep -q '38;2;' true
LC_ALL=C.UTF-8 TERM=xterm-256color COLORTERM= c4w decode-passage "$blob" --show --color always >colors
grep -q '38;5;' colors && ! grep -q '38;2;' colors
