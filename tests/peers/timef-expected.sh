# Every field of the fixtures' expected.json (made by the reference) out of c4w; the same of five further seeds on both backends, which are made
# here where C4W_VENV has the reference; further data sets by C4W_TIMEF, a registry root as tests/tools/make_timef_fixtures.py writes it.
# prints TAP and a count
cd "$(dirname "$0")/../.." || exit 1
python=${C4W_VENV:+$C4W_VENV/bin/python}
set -- tests/data/timef/gen/*.expected.json ${C4W_TIMEF:+"$C4W_TIMEF"/*/*.expected.json}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# generate BACKEND MODULE, one line a seed on stdin: number, ids, compression, value encoding
generate() {
	local backend=$1 seed ids compression encoding
	while read -r seed ids compression encoding; do
		if [ -z "$python" ] || ! "$python" -c "import timenet, $2" 2>/dev/null; then
			args+=(--skip "seed $seed, $backend # SKIP C4W_VENV has no timenet with $2")
			continue
		fi
		"$python" -W ignore tests/tools/make_timef_fixtures.py "$folder" --id "gen/seed$seed-$backend" --seed "$seed" --size small --backend "$backend" \
			--ids "$ids" --compression "$compression" --value-encoding "$encoding" >"$folder/log" 2>&1 || sed 's/^/# /' "$folder/log"
		args+=("$folder/gen/seed$seed-$backend@1.0.0.expected.json")
	done
}
args=()
generate parquet pyarrow <<'END'
101 string zstd auto
102 uuid snappy plain
103 int gzip dictionary
104 mixed brotli auto
105 string lz4 plain
END
generate zarr zarr <<'END'
101 string zstd auto
102 uuid lz4 auto
103 int lz4 auto
104 mixed zstd auto
105 string lz4 auto
END
"${python:-python3}" tests/peers/timef-expected.py ./c4w "$@" "${args[@]}"
