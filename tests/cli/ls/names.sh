# Names of any kind in TAR, ZIP and folders: the first column of ls, fed to cat, gives the member's bytes.
need python3
python3 - <<'END'
import io, os, tarfile, zipfile
names = ['plain', 'with space', 'new\nline', 'tab\there', 'a:b', 'a#1', 'x#2', '100%', 'a%20b', 'a%2520b', 'a=b', '-dash', '--help', 'back\\slash',
         'ünïcode', 'd/e/f', 'd/e', 'quote"\'', '*?[', '\x01\x7f', 'x' * 200, 'p/' * 100 + 'q', 'same', 'same', 'same', 'UPPER', 'a/./b', './dot', '../up', '/abs', 'a//b']
with tarfile.open('t.tar', 'w', format=tarfile.PAX_FORMAT) as t:
    for i, n in enumerate(names):
        m = tarfile.TarInfo(n)
        body = f'{i}:{n}'.encode()
        m.size = len(body)
        t.addfile(m, io.BytesIO(body))
    m = tarfile.TarInfo('not\udcffutf8'); body = b'raw'; m.size = 3
    t.addfile(m, io.BytesIO(body))
    m = tarfile.TarInfo('long/' + 'n' * 3990); m.size = 4
    t.addfile(m, io.BytesIO(b'long'))
import warnings; warnings.simplefilter('ignore')
with zipfile.ZipFile('z.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    for i, n in enumerate(names):
        if n in ('x' * 200,): continue
        z.writestr(n, f'{i}:{n}')
os.mkdir('f')
for i, n in enumerate(names):
    if '/' in n or n in ('same',): continue
    open(os.path.join('f', n), 'w').write(f'{i}:{n}')
open(b'f/not\xffutf8', 'w').write('raw')
END
python3 - <<'END'
import subprocess, tarfile, zipfile, os, sys, json
bad = 0
def run(*a):
    return subprocess.run(['c4w', *a], capture_output=True)
def check(ok, *what):
    global bad
    if not ok:
        bad += 1
        print('FAILED:', *what)
def members(path):
    r = run('ls', '-1', '--', path)
    check(r.returncode == 0, path, r.stderr)
    return r.stdout.split(b'\n')[:-1]
def compare(path, want):
    got = members(path)
    check(len(got) == len(want), path, len(got), len(want))
    check(len(set(got)) == len(got), path, 'addresses repeat')
    for address, body in zip(got, want):
        r = run('cat', '--', path, address)
        check(r.returncode == 0 and r.stdout == body, path, address, r.returncode, r.stdout[:80], body[:80], r.stderr)
    rows = [json.loads(l) for l in run('ls', '--json', path).stdout.splitlines()]
    first = list(rows[0])[0]
    check([r[first].encode() for r in rows] == got, path, 'json names differ')
    check(run('ls', '-1z', path).stdout.split(b'\0')[:-1] == got, path, '-z differs')
with tarfile.open('t.tar') as t:
    compare('t.tar', [t.extractfile(m).read() for m in t.getmembers()])
with zipfile.ZipFile('z.zip') as z:
    compare('z.zip', [z.read(m) for m in z.infolist()])
compare('f', [open(os.path.join(b'f', n), 'rb').read() for n in sorted(os.listdir(b'f'))])
# As they are typed, where that is no other name's address.
for n in ('with space', 'a:b', 'a=b', '100%', '*?[', 'ünïcode', 'quote"\'', 'd/e/f', 'd/e', '/abs', '../up', 'a//b', './dot'):
    r = run('cat', '--', 't.tar', n)
    check(r.returncode == 0 and r.stdout.decode().endswith(':' + n), n, r.stdout, r.stderr)
r = run('cat', '--', 't.tar', 'same')
check(r.returncode == 2 and b"'same#1'" in r.stderr, 'same', r.stderr)
r = run('cat', '--', 't.tar', 'same#4')
check(r.returncode == 2 and b'there are 3' in r.stderr, 'same#4', r.stderr)
sys.exit(bad != 0)
END
