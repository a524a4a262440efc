# items that are not published are left out and counted, and the exit code says so; all others are there
r=$data/channels4world/release
code c4w extract "$r" dest --split train --components detail -q
c4w verify dest --components core
code c4w extract "$r" nothing --split train --bs 7 --components core
test ! -e nothing
