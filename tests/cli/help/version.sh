# The libraries' versions are told.
c4w --version >out
for lib in libzip zstd libyaml cJSON mbedTLS libdeflate; do
	grep -Eq "$lib [0-9]+\.[0-9]" out || fail "$lib has no version"
done
head -1 out | grep -Eq '^c4w [0-9]+\.[0-9]+\.[0-9]+$' || fail "no version"
