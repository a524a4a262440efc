# the example: a second make does nothing, a touched source makes it look again and change nothing, names with odd letters work
need make
cp -r "$data/channels4world/release" 'release $1 #2'
cp "$top/tests/examples/prepare.mk" .
c4w extract 'release $1 #2' subset -q --depfile odd.d --split test --components positions
sed 's/^  /: /' odd.d | head -n 4
rm -r subset
mv 'release $1 #2' release
make -s -f prepare.mk 2>/dev/null
c4w verify subset --components core,positions
c4w verify arrays --components core,positions
make -f prepare.mk
find subset arrays -type f -exec touch -d 2001-01-01 {} +
make -s -f prepare.mk 2>&1 | sed '/^wrote/!d; s/ in .*;/;/'
find subset arrays -type f -newermt 2001-01-02 | sort
make -f prepare.mk
rm release/groups/train-metro-g00001/geometry.tar
make -f prepare.mk
