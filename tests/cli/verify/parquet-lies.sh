# What a Parquet file says beside its pages: every lie is found at level full by the rule it breaks, and legal neighbours pass.
need python3
python3 "$data/../tools/break_parquet.py" "$data/parquet" lies
for f in lies/*.parquet; do
	name=${f##*/} got=0
	c4w verify --level full --json "$f" >report || got=$?
	echo "${name%.parquet}: $got $(sed -n 's/.*"rule": *"\([^"]*\)".*/\1/p' report | sort -u | tr '\n' ' ')"
done
echo "- at level basic the index is not looked at"
c4w verify --level basic --quiet lies/column-index-nulls.parquet
echo "- reading: right rows, or damage where a page that was read contradicts the index"
for f in lies/offset-index-*.parquet lies/legal-numbers.parquet; do
	name=${f##*/} got=0
	c4w cat "$f" --slice 499:501 --format csv >rows 2>err || got=$?
	echo "${name%.parquet}: $got $(tr '\n' ' ' <rows) $(sed -n 's/.*\(another number of rows\|goes beyond\).*/\1/p' err)"
done
echo "- a part that a second dictionary stands in front of"
code c4w cat lies/dictionary-second.parquet --slice 150:151 --format csv
