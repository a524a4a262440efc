# Help, manual and completions agree with the tables (c4w help --json) on names, options and enum values.
need python3
for shell in bash zsh fish; do c4w help --complete $shell >complete.$shell; done
bash -n complete.bash
c4w help --json >tables
python3 - <<'END'
import json, subprocess, sys
bad = 0
def check(ok, *what):
    global bad
    if not ok:
        bad += 1
        print('FAILED:', *what)
def run(*a):
    return subprocess.run(['c4w', *a], capture_output=True, text=True, check=True).stdout
scripts = {s: open('complete.' + s).read() for s in ('bash', 'zsh', 'fish')}
tables = [json.loads(l) for l in open('tables')]
names = [t['name'] for t in tables]
check(names == sorted(names), 'the list is not sorted')
page = run('help', '--man')
for t in tables:
    n = t['name']
    check(t['summary'][0].islower() and not t['summary'].endswith('.'), n, 'summary', t['summary'])
    check(len(t['summary']) < 70, n, 'summary is long')
    check('.It Cm ' + n.replace('-', '\\-') in page, n, 'not in c4w(1)')
    help_ = run(n, '--help'); brief = run(n, '-h'); man = run('help', '--man', n)
    for s in scripts.values():
        check(n in s, n, 'not completed')
    for alias in t['aliases']:
        check(all(alias in s for s in scripts.values()), alias, 'not completed')
    letters = [o['letter'] for o in t['options'] if 'letter' in o]
    check(len(letters) == len(set(letters)), n, 'a letter twice', letters)
    check(len({o['name'] for o in t['options']}) == len(t['options']), n, 'an option twice')
    for o in t['options']:
        opt = '--' + o['name']
        check(o.get('text'), n, opt, 'has no text')
        check(o['text'].endswith('.'), n, opt, 'text is no sentence')
        check(o['brief'] and not o['brief'].endswith('.') and len(o['brief']) <= 60, n, opt, 'brief', o['brief'])
        check(opt in help_.split() or opt + '\n' in help_, n, opt, 'not in --help')
        check(opt in brief, n, opt, 'not in -h')
        check('Fl Fl ' + o['name'].replace('-', '\\-') in man, n, opt, 'not in the manual')
        check(opt in scripts['bash'] and opt in scripts['zsh'] and '-l ' + o['name'] in scripts['fish'], n, opt, 'not completed')
        check((o['kind'] in ('flag', 'count')) == ('argument' not in o), n, opt, 'argument')
        if o['kind'] == 'enum':
            check(o['values'], n, opt, 'enum without words')
            check(o.get('default') in o['values'] or 'default' not in o, n, opt, 'default is none of the words')
            r = subprocess.run(['c4w', n, opt + '=no-such-word'], capture_output=True, text=True)
            check(r.returncode == 2 and all(v in r.stderr for v in o['values']), n, opt, r.stderr)
            words = ' '.join(o['values'])
            check(words in scripts['bash'] and words in scripts['fish'], n, opt, 'words not completed')
        if o['kind'] in ('int', 'ints', 'size', 'real'):
            r = subprocess.run(['c4w', n, opt, 'x1'], capture_output=True, text=True)
            check(r.returncode == 2 and opt in r.stderr, n, opt, 'takes x1', r.stderr)
        for other in o.get('conflicts', '').split():
            check(any(p['name'] == other for p in t['options']), n, opt, 'conflicts with unknown', other)
sys.exit(bad != 0)
END
