# What `make install` brings is enough to compile and run the examples of c4w(3): by pkg-config alone, statically, and from Python.
need "${CC:-cc}" pkg-config make nm python3
top=${data%/tests/data}
dest=$PWD/dest
root=$data/channels4world/release
make -s -C "$top" install PREFIX="$dest" >make.log 2>&1 || { cat make.log; fail "make install"; }
export PKG_CONFIG_PATH=$dest/lib/pkgconfig LD_LIBRARY_PATH=$dest/lib

# example NAME: cut it out of the manual page
example() {
	awk -v name="$1" '$0 == ".\\\" " name { on = 1; next } on == 1 && /^\.Bd/ { on = 2; next } on == 2 && /^\.Ed/ { exit } on == 2' \
		"$dest/share/man/man3/c4w.3" | sed 's/\\e/\\/g'
}
example example.c >example.c
example example.py >example.py
[ -s example.c ] && [ -s example.py ] || fail "the manual has no examples"

[ "c4w $(pkg-config --modversion c4w)" = "$(c4w --version | head -1)" ] || fail "the version in c4w.pc"
# shellcheck disable=SC2046
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -o shared example.c $(pkg-config --cflags --libs c4w)
./shared "$root" | tee shared.txt
# shellcheck disable=SC2046
"${CC:-cc}" -std=c11 -o static example.c $(pkg-config --cflags c4w) "$dest/lib/libc4w.a" $(pkg-config --static --libs c4w | sed 's/-lc4w//')
./static "$root" | cmp - shared.txt
expect 1 ./shared "$PWD/nowhere" 2>/dev/null

# The same from C++'s view of the header, when there is a compiler for it.
if command -v g++ >/dev/null; then
	echo '#include <c4w.h>
int main() { return c4w_library_version() == nullptr; }' >x.cc
	# shellcheck disable=SC2046
	g++ -Wall -Werror -o x x.cc $(pkg-config --cflags --libs c4w) && ./x
fi

python3 -I example.py "$dest/lib/libc4w.so.0" "$root" urban_scene_019231 3500000000 0

# Only names of the library are exported, and each is in the header.
nm -D --defined-only "$dest/lib/libc4w.so.0" | sed -n 's/.* T \([^@]*\).*/\1/p' >exported.txt
cat "$dest/include/c4w/c4w.h" "$dest/include/c4w/base/error.h" | tr '\n\t' '  ' | grep -o 'C4W_API [^(;]*(' | grep -o 'c4w_[a-z_0-9]*($' |
	tr -d '(' | sort -u >declared.txt
sort exported.txt | diff declared.txt - || fail "exported and declared names differ"

make -s -C "$top" uninstall PREFIX="$dest" >make.log 2>&1 || fail "make uninstall"
find dest \( -type f -o -type l \) -print
[ ! -e dest/include/c4w ] || fail "include/c4w is left"
