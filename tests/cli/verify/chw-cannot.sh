# What can't be verified at all, and what is too new or too large.
code c4w verify absent
mkdir empty
code c4w verify empty
cp -r "$data/channels4world/one" r
code c4w verify r/c4w-root.json
sed -i 's/"format_version": 1/"format_version": 2/' r/c4w-root.json
code c4w verify r
code c4w verify r --json
sed -i 's/"format_version": 2/"format_version": 1/; s/"kind": "release"/"kind": "mirror"/' r/c4w-root.json
code c4w verify r
: >r/c4w-root.json
code c4w verify r
rm r/c4w-root.json
code c4w verify r
code c4w verify --as channels4world r
code c4w verify "$data/channels4world/one" --memory 10K
mkdir -p r/c4w-root.json
code c4w verify --as channels4world r
