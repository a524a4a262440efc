# Progress: never into a pipe unless asked, then without control characters; on a terminal drawn, wiped before a finding and at the end.
need python3
npy=$data/containers/f4-1.npy
mkdir t && printf x >t/bad.npy
printf 1 >t/one
sha256sum t/one >list
echo "$(printf 2 | sha256sum | cut -d' ' -f1)  -" >>list
slow() { sleep "${1:-0.4}"; cat; }

cat >t/on_pty.py <<'EOF'
import os, pty, subprocess, sys, time
master, slave = pty.openpty()
p = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=slave, stderr=slave)
os.close(slave)
time.sleep(0.4)
try:
    p.stdin.write(open(sys.argv[1], 'rb').read())
    p.stdin.close()
except BrokenPipeError:
    pass
got = b''
while True:
    try:
        more = os.read(master, 4096)
    except OSError:  # all have closed the other end
        break
    if not more:
        break
    got += more
p.wait()
sys.stdout.write(repr(got.decode()) + '\n')
EOF
# pty INPUT COMMAND...: what a terminal gets, as a Python string; INPUT comes late
pty() {
	TERM=xterm NO_COLOR=1 python3 t/on_pty.py "$@"
}
wiped='\\r\\x1b\[K'

echo "- pipe"
slow <"$npy" | code c4w verify -
printf 2 | slow | code c4w verify --check list
printf 2 | slow | code c4w sha256
slow 1.2 <"$npy" | code c4w verify - --progress always 2>t/err
[ "$(wc -l <t/err)" = 1 ]
grep -Eq '^verify: 1 item, [0-9.]+ [kKMG]?i?B, .*/s$' t/err
if grep -q "$(printf '[\033\r]')" t/err; then fail "control characters in a pipe"; fi

echo "- terminal"
echo urban_scene_019231 >t/scenes # half a group: half of what its archives hold
pty t/scenes c4w verify "$data/channels4world/release" --scenes @/dev/stdin >t/out
grep -Eq "\\\\rverify: 1 item, [0-9.]+ KB of 51.2 KB, [0-9.]+ KB/s, [0-9]+ %, [0-9]+:[0-9]+ left" t/out || fail "$(cat t/out)"
pty "$npy" c4w verify - t/bad.npy >t/out
grep -Eq "\\\\rverify: 1 item, [^\\\\]*/s\\\\x1b\[K${wiped}(UNSUPPORTED|FAIL)[^\\\\]*bad.npy" t/out || fail "$(cat t/out)"
pty t/one c4w verify --check list >t/out
grep -Eq "\\\\rverify: 1 of 2 files, [^\\\\]* left\\\\x1b\[K${wiped}FAIL -:" t/out || fail "$(cat t/out)"
tail -n 1 list >last
pty t/one c4w verify --check last >t/out
grep -Eq "\\\\rverify: 1 of 1 file, [^\\\\]*/s, 100 %\\\\x1b\[K${wiped}" t/out || fail "$(cat t/out)"
pty t/one c4w sha256 - t/one >t/out
grep -Eq "\\\\rsha256: 1 file, 1 B, [^\\\\]*/s\\\\x1b\[K${wiped}[0-9a-f]*  t/one" t/out || fail "$(cat t/out)"
pty t/one c4w sha256 - >t/out
grep -Eq "\\\\rsha256: 1 file, 1 B, [^\\\\]*/s\\\\x1b\[K${wiped}'$" t/out || fail "$(cat t/out)"
pty t/one c4w sha256 - t/one --progress never >t/out
pty t/one env TERM=dumb c4w sha256 - t/one >>t/out
pty t/one c4w sha256 - t/one -q >>t/out
if grep -q 'x1b' t/out; then fail "$(cat t/out)"; fi
[ "$(grep -c t/one t/out)" = 3 ]
