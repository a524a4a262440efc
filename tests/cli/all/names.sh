# Two dashes end the options; a lone dash is an operand; -jN, -j N, --jobs=N, --jobs N.
expect 2 c4w help -- --man 2>err
grep -q "unknown command '--man'" err
expect 2 c4w help - 2>err
grep -q "unknown command '-'" err
