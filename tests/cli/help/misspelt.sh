# A misspelt name is answered with the nearest one; exit 2, nothing on stdout.
code c4w hlep
code c4w help hlep
code c4w --versoin
code c4w help --complte bash
code c4w $'a\nb\x1b[31m'
code c4w help one two
code c4w help --complete tcsh
