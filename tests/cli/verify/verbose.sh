# -v: every finding of an item, the worst one first; without it the worst one and how many more there are.
cp -r "$data/passage/tree" t
chmod -R u+w t
meta=$(echo t/16/train/metadata/*/*/0000000001.yaml)
sed -i '/^units:/d; s/^index: 1$/index: 2/; s/max: 8767.0/max: 9000.0/' "$meta"
expect 1 c4w verify t
expect 1 c4w verify t -v
expect 0 c4w verify t -v --ignore passage.index
expect 0 c4w verify t -q -v --ignore passage.index --ignore passage.meta-absent --ignore passage.calibration
# places that break one rule are told one by one
sed -i 's/^index: 2$/index: x/; s/^resolution: 16$/resolution: y/' "$meta"
touch t/16/train/receipts/a t/16/train/receipts/b
mkdir t/16/train/receipts/0000000077.json
expect 1 c4w verify t -v
# names and values are escaped once
touch "$(printf 't/16/e\033[31m\n')"
sed -i 's/^split: train$/split: "t\\e\\\\r"/' "$meta"
expect 1 c4w verify t -v | grep 'x1b'
