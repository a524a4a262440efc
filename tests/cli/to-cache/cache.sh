# a cache of a release, of a subset and of a cache: the same arrays; one of a part; and again without a change
r=$data/channels4world/release
all=core,detail,positions,geometry
c4w to-cache "$r" a --split test --components $all -q
diff -rq a "$data/channels4world/cache" | grep -v c4w-root || true
c4w extract "$r" s --split test --components $all -q
c4w cache s b --components $all -q
c4w to-cache a c --components $all -q -j 4 --verify full
diff -r a/cache b/cache
diff -r a/cache c/cache
for d in a b c; do c4w verify $d --components $all; done
find a -type f -exec touch -d 2001-01-01 {} +
c4w to-cache "$r" a --split test --components $all --skip-existing 2>&1 | sed '/^wrote/!d; s/ in .*;/;/'
find a -type f -newermt 2001-01-02 | wc -l
# one wrong value in one array: that part is written again, the others stay
printf X | dd of=a/cache/test-urban-g00000/core-3500000000/tau.npy bs=1 seek=300 conv=notrunc status=none
c4w to-cache "$r" a --split test --components $all --skip-existing -q
find a -type f -newermt 2001-01-02 | sort | sed 's/[^/]*\.npy/*.npy/' | uniq -c
diff -r a/cache c/cache
