# A misspelt name is answered with the nearest one; exit 2, nothing on stdout.
code c4w hlep
code c4w help hlep
code c4w --versoin
code c4w help --complte bash
code c4w $'a\nb\x1b[31m'
code c4w help one two
code c4w help --complete tcsh
# a variable that is not set makes an empty operand
code c4w verify ''
code c4w extract "$data/channels4world/release" ''
code c4w ls "$data/containers/savez.npz" '' -1
