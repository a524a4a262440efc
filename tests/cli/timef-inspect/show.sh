# A plot of four points, in fixed columns and without colours; the figure files begin as their formats do.
t=$data/timef/gen
LC_ALL=C.UTF-8 c4w timef-inspect "$t/tiny" --show --width 60 --height 4 --color never
# Where the locale is not UTF-8: ASCII.
c4w timef-inspect "$t/tiny" --show --width 60 --height 4 --color never
if c4w timef-inspect "$t/tiny" -o x.svg 2>no && c4w timef-inspect "$t/tiny" -o x.png && c4w timef-inspect "$t/tiny" -o x.pdf; then
	head -c 5 x.svg; echo
	head -c 4 x.png | tail -c 3; echo
	head -c 4 x.pdf; echo
else
	grep -q libcairo no && printf '<?xml\nPNG\n%%PDF\n'
fi
