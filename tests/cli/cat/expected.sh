# Arrays and geometry of a release, a subset and a cache have the digests that the reference found.
need python3
python3 - "$data/channels4world" <<'END'
import hashlib, json, math, subprocess, sys
top = sys.argv[1]
bad = n = 0
def cat(root, leaves, *o):
    r = subprocess.run(['c4w', 'cat', root, *leaves, *o], capture_output=True)
    if r.returncode:
        print('FAILED:', root, leaves[0], r.stderr.decode())
    return r.stdout
def check(root, prefix, fields, raw):
    """One call for all of a record: raw elements one after the other."""
    global bad, n
    names = [k for k, a in fields.items() if isinstance(a, dict) and 'sha256' in a]
    body = cat(root, [prefix + k for k in names], *(['--format', 'raw'] if raw else [])) if names else b''
    at = 0
    for k in names:
        a = fields[k]
        size = math.prod(a['shape']) * int(a['dtype'][2:]) if raw else a['bytes']
        n += 1
        if hashlib.sha256(body[at:at + size]).hexdigest() != a['sha256']:
            bad += 1
            print('FAILED:', root, prefix + k)
        at += size
    if at != len(body):
        bad += 1
        print('FAILED:', root, prefix, len(body) - at, 'bytes too many')
for kind in ('release', 'subset', 'cache'):
    root = f'{top}/{kind}'
    for s in json.load(open(f'{top}/expected-{kind}.json'))['scenes']:
        check(root, s['id'] + '/positions/', s.get('positions') or {}, True)
        check(root, s['id'] + '/geometry/', s.get('geometry') or {}, False)
        for r in s['records']:
            for comp in ('core', 'detail'):
                check(root, f"{s['id']}/{r['frequency_hz']}/{r['bs']}/{comp}/", r.get(comp) or {}, True)
print('checked' if n > 300 else f'too few: {n}')
sys.exit(bad != 0)
END
