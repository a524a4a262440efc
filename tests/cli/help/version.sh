# The libraries' versions are told, and libzip, which brings libcrypto, is not opened for it.
c4w --version >out
for lib in libzip zstd libyaml cJSON libdeflate; do
	grep -Eq "$lib [0-9]+\.[0-9]" out || fail "$lib has no version"
done
head -1 out | grep -Eq '^c4w [0-9]+\.[0-9]+\.[0-9]+$' || fail "no version"
LD_DEBUG=files c4w --version >loaded 2>&1
grep -q 'file=libzstd' loaded || fail "the loader tells nothing"
grep -E 'file=lib(zip|crypto|mbedcrypto|z|bz2|png16|cairo|curl)\.' loaded && fail "opened at start"
true
