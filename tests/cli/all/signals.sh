# INT, TERM and HUP end a command that waits for a pipe by the signal, quietly; what the parent ignores stays ignored.
need python3
mkfifo fifo
timeout 60 python3 - <<'END'
import signal, subprocess, sys, time
bad = 0
def start(*a, **k):
    return subprocess.Popen(['c4w', *a], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **k)
for args in (('sha256', 'fifo'), ('cat', 'fifo'), ('sha256', '-j', '4', 'fifo')):
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        p = start(*args)
        time.sleep(0.5)
        p.send_signal(s)
        try:
            out, err = p.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
        if p.returncode != -s or out or err:
            bad += 1
            print('FAILED:', args, s, p.returncode, out, err)
p = start('sha256', 'fifo', preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
time.sleep(0.5)
p.send_signal(signal.SIGHUP)
with open('fifo', 'wb') as f:
    f.write(b'x')
out, err = p.communicate(timeout=10)
if p.returncode != 0 or b'fifo' not in out:
    bad += 1
    print('FAILED: ignored HUP', p.returncode, out, err)
sys.exit(bad != 0)
END
