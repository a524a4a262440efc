# The list has every command once, with its summary; the names come from the tables.
c4w help >list
for name in $(commands); do
	[ "$(grep -c "^  $name  *[a-z]" list)" = 1 ] || fail "$name is not once in the list"
done
cmp <(c4w --help) list
cmp <(c4w -h) list
expect 2 c4w >out 2>err
[ ! -s out ]
cmp err list
