# What can't be read: absent, without permission, a folder in a list, a FIFO, a link to nothing; the others go on.
[ "$(id -u)" = 0 ] && root=1 || root=
printf x >a
printf x >b
X=$(printf x | sha256sum | cut -c-64)
echo "-- absent among others"
code c4w sha256 a nonesuch b
mkdir t
ln -s nowhere t/dangling
mkfifo t/fifo
printf x >t/z
echo "-- a tree with a FIFO and a link to nothing"
code c4w sha256 t
echo "-- a folder in a list"
mkdir folder
printf "$X  a\n$X  folder\n" >list
code c4w sha256 -q -c list
echo "-- a FIFO is read to its end"
mkfifo p
printf x >p &
c4w sha256 p
wait
echo "-- /dev/stdin"
printf x | c4w sha256 /dev/stdin
if [ -z "$root" ]; then
	chmod 000 b
	code c4w sha256 a b >out 2>err
	grep -q "exit 3" out && grep -q "'b': can't open: Permission denied" err
fi
