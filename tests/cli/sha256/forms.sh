# Every form of a list is read: text, binary, one blank, tag, capitals, leading blanks, CRLF, no newline at the end, a byte
# order mark, comments, escapes, a list on standard input, several lists, -C.
mkdir f
printf x >f/a
printf y >"f/$(printf 'n\nl')"
X=$(printf x | sha256sum | cut -c-64)
Y=$(printf y | sha256sum | cut -c-64)
try() { # what, list text
	printf "$2" >list
	printf '%s: ' "$1"
	c4w sha256 -q --check list && echo ok || echo "exit $?"
}
try text "$X  f/a\n"
try binary "$X *f/a\n"
try 'one blank' "$X f/a\n"
try tag "SHA256 (f/a) = $X\n"
try 'tag without blanks' "SHA256(f/a)= $X\n"
try capitals "${X^^}  f/a\n"
try 'leading blanks' "  \t$X  f/a\n"
try CRLF "$X  f/a\r\n"
try 'no newline' "$X  f/a"
try mark "\xef\xbb\xbf$X  f/a\n"
try comment "# made by hand\n\n$X  f/a\n"
try escaped "\\\\$Y  f/n\\\\nl\n"
try 'escaped tag' "\\\\SHA256 (f/n\\\\nl) = $Y\n"
try 'wrong escape' "\\\\$X  f/a\\\\x\n"
try 'short digest' "${X%?}  f/a\n"
try 'other algorithm' "MD5 (f/a) = 9dd4e461268c8034f5c8564e155c67a6\n"
try 'digest only' "$X\n"
try 'dot names' "$X  ./f/./a\n"
echo "-- standard input, two lists, -C"
printf "$X  f/a\n" >l1
printf "$Y  f/a\n" >l2
c4w sha256 -q -c <l1
code c4w sha256 -q -c l1 l2
printf "$X  a\n" >l3
c4w sha256 -q --check -C f l3
c4w sha256 -q --check --directory=f <l3
echo "-- zero"
printf "$X  f/a\0$Y  f/n\nl\0" >l4
c4w sha256 -qcz l4
echo "-- bad and good lines"
printf "$X  f/a\nnonsense\n$X  f/a\nmore\n" >l5
code c4w sha256 -c l5
code c4w sha256 --strict -c l5
