"""What the reference takes as a unit, against c4w_timef_unit_known. usage: timef-units.py PROBE [SEED]

A unit that is refused where the reference takes it makes an annotation's unit an error, so none may be; one that is taken where the reference
refuses it is a fault too. Texts with characters that no unit has and that pint's parser passes over are left out.
"""
import random
import subprocess
import sys

from timenet.types.units import normalize_unit, ureg

PROBE = sys.argv[1]
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)


UNITS = set(ureg._units)


def taken(text):
    try:
        normalize_unit(text)
    except BaseException:  # noqa: BLE001 - it fails in many ways
        return False
    finally:  # a name that was found with a prefix is a name of its own from then on: what counts is a registry that has seen nothing yet
        for n in set(ureg._units) - UNITS:
            del ureg._units[n]
    return True


def expressions():
    names = sorted(n for n in ureg._units if n.isidentifier() and n.isascii())
    some = lambda: rng.choice(names)  # noqa: E731
    forms = ["{a} / {b}", "{a}/{b}", "{a} * {b}", "{a} {b}", "{a} ** 2", "{a}^2", "{a}**-1", "{a} ** 0.5", "1 / {a}", "1/{a}/{b}", "{a} per {b}", "({a} * {b}) / {c}",
             "{a} squared", "{a} cubed", "square {a}", "cubic {a}", "sq {a} / {b}", "{a}\u00b2", "{a}\u207b\u00b9", "{a}\u00b7{b}\u207b\u00b2", "{a}.{b}", "{a} ** (1 + 1)", "{a}({b})",
             "1 {a}", "1.0*{a}", "+{a}", "{a}*2/2", "{a}\u00a0{b}", " {a} ", "{a}\t{b}", "{a}\n", "delta_degC / {a}", "degC / {a}", "degC * degF",
             # wrong ones
             "2 {a}", "100 / {a}", "{a} + {b}", "{a} - {b}", "-{a}", "{a} /", "/ {a}", "* {a}", "{a} **", "({a}", "{a})", "()", "{a} ** {b}", "{a}**0", "0 {a}", "{a} / 0",
             "per {a}", "{a} per", "per", "squared", "square", "cubic", "milli {a}", "{a} if {b}", "[{a}]", "2", "0", "{a}{b}", "{a}x", "x{a}", "{a}\u00b2 {b}x", "1e3 {a}", "{a}^1/2",
             "{a} squaredx", "nosuch / {a}", "{a} nosuch"]
    for f in forms:
        for _ in range(6):
            yield f.format(a=some(), b=some(), c=some())
    yield from ("", " ", "1", "dimensionless", "dimensionlesss", "kilodimensionless", "?", "furlongz", "smoot", "percent", "%", "\u2030", "mm Hg", "unknown", "None", "inf", "#")


def words():
    names, prefixes = sorted(ureg._units), sorted(ureg._prefixes)
    for n in names:
        yield from (n, n + "s", n + "ss", n + "es", n.upper(), n.lower(), n.capitalize(), n[:-1], n + "_", "_" + n, n + "1", n + " s")
        for p in rng.sample(prefixes, 6):
            yield from (p + n, p + n + "s", p + " " + n, p + p + n, p + rng.choice(prefixes) + n)
    for p in prefixes:
        yield from (p, p + "s")
        for n in ("meter", "m", "second", "s", "gram", "g", "byte", "B", "bpm", "beat", "degC", "dB", "percent", "Hz", "V", "volt", "mol", "Pa", "dimensionless"):
            yield from (p + n, p + n + "s")


def main():
    texts = sorted({t for t in [*words(), *expressions()] if "\0" not in t})
    said = subprocess.run([PROBE, "units"], input="\n".join(t.replace("\n", "\0") for t in texts) + "\n", capture_output=True, text=True, check=True).stdout.strip()
    assert len(said) == len(texts), (len(said), len(texts))
    verdicts = {t: taken(t) for t in texts}
    refused = [t for t, s in zip(texts, said) if s == "0" and verdicts[t]]
    accepted = [t for t, s in zip(texts, said) if s == "1" and not verdicts[t]]
    for what, wrong in (("refused here, taken by the reference", refused), ("taken here, refused by the reference", accepted)):
        for t in wrong[:40]:
            print(f"# {what}: {t!r}")
        print(f"{'not ok' if wrong else 'ok'} {1 if wrong is refused else 2} - {what}: {len(wrong)} of {len(texts)} ({sum(verdicts.values())} are units)")
    print("1..2")
    failed = bool(refused) + bool(accepted)
    print(f"{2 - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    raise SystemExit(main())
