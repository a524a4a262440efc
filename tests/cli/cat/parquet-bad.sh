# Damaged files end with 1 and say what and where; known bug 24: encrypted ones with 4, before any output.
for f in ARROW-GH-45185 ARROW-GH-47662 PARQUET-1481; do
	code c4w cat --format jsonl "$data/parquet/$f.parquet" 2>&1 | sed "s|$data|DATA|"
done
printf 'PARE\0\0\0\0\4\0\0\0PARE' > pare.parquet
code c4w cat --format jsonl pare.parquet 2>&1
code c4w cat pare.parquet 2>&1
c4w cat --format raw pare.parquet | cmp - pare.parquet
head -c 300 "$data/parquet/null_list.parquet" > cut.parquet
code c4w cat --format jsonl cut.parquet 2>&1
code c4w cat --limit 1 cut.parquet 2>&1
# Other readers show a page whose CRC differs; so does c4w, and says so.
code c4w cat --format jsonl --limit 1 "$data/parquet/datapage_v1-corrupt-checksum.parquet" 2>&1
