# A checksum list is recognised by its first line; several of them; -C; what sha256sum's spellings do; a list through a pipe.
mkdir d && cd d
printf 1 >a
printf 2 >b
sha256sum a b >../SHA256SUMS
sha256sum --tag a >../tagged
cd ..
code c4w verify -C d SHA256SUMS
code c4w verify -C d SHA256SUMS tagged
printf 3 >d/b
code c4w verify -C d SHA256SUMS
code c4w verify --directory d --fail-fast --json SHA256SUMS tagged
code c4w verify --check --status -C d SHA256SUMS
code c4w verify -c -q -C d tagged
code c4w verify --check --ignore-missing SHA256SUMS
code c4w verify SHA256SUMS -C d --ignore sums.differs
cat SHA256SUMS | code c4w verify -C d -
cat SHA256SUMS | code c4w verify -C d --check -
code c4w verify -C d SHA256SUMS "$data/containers/f4-1.npy"
for j in 1 4; do c4w verify -j $j -C d SHA256SUMS tagged >out.$j || true; done
cmp out.1 out.4
