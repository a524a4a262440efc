# a second run into the same destination is told, and harms nothing
need flock
r=$data/channels4world/release
mkdir dest
flock -n dest c4w extract "$r" dest --split test -q && fail "the lock is not seen"
test -z "$(ls -A dest)"
c4w extract "$r" dest --split test -q
c4w verify dest
