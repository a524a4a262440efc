# A check that checked nothing is no success (known bug 31): empty list, comments only, a list of absent files, only other files.
mkdir d && cd d
printf x >a
printf z >b
X=$(printf x | sha256sum | cut -c-64)
: >empty
echo "# nothing" >comments
printf "$X  gone\n" >absent
printf "$X  a\n$X  gone\n$X  b\nnot a line\n" >mixed
for list in empty comments absent mixed; do
	for o in '' --ignore-missing --status --strict; do
		echo "-- $list $o"
		code c4w sha256 $o --check $list
	done
done
echo "-- a list that is not there"
code c4w sha256 -c nonesuch 2>&1
echo "-- wrong options are no bad checksum"
code c4w sha256 --strict a
code c4w sha256 -c --tag a
code c4w sha256 --ignore-missing
echo "-- json"
code c4w sha256 -c mixed --json
