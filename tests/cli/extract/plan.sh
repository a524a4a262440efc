# the plan: on standard output when nothing is written, else on standard error; quiet says nothing
r=$data/channels4world/release
all=core,detail,positions,geometry
free() { sed 's/([0-9.]* [KMGT]*B free)/(FREE)/; s/in [0-9.]* s (.*\/s)/in TIME/'; }
code c4w extract "$r" dest --components $all -n | free
test ! -e dest
code c4w extract "$r" dest --components $all --json -n | sed 's/"free": [0-9]*/"free": N/'
code c4w extract "$r" dest --components $all --json | sed 's/"free": [0-9]*/"free": N/'
rm -r dest
c4w extract "$r" dest --split test 2>err
free <err
rm -r dest
c4w extract "$r" dest --split test -q -y
c4w verify dest
# a question is asked only when asked for
echo n | code c4w extract "$r" other --split test -i 2>err
free <err
test ! -e other
echo y | code c4w extract "$r" other --split test -i -q 2>err
free <err
diff -r dest other
