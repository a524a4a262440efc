# A link called c4w-NAME is that command; a link of another name is c4w itself.
for name in $(commands); do
	ln -s "$(command -v c4w)" "c4w-$name"
	"./c4w-$name" --help >a
	c4w "$name" --help >b
	cmp a b || fail "c4w-$name --help differs from c4w $name --help"
done
ln -s "$(command -v c4w)" c4w-nonesuch
code ./c4w-nonesuch help >a
code c4w help >b
cmp a b
