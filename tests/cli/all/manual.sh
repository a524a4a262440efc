# The manual pages are clean mdoc.
need mandoc
for name in '' $(commands); do
	c4w help --man $name >page
	mandoc -Tlint -Wwarning page || fail "page of '$name'"
	mandoc -Tutf8 page >text
	[ "$(wc -l <text)" -gt 20 ]
done
