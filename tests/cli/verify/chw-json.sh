# Every line of --json is an object with the documented members.
need_python json
cp -r "$data/channels4world/release" r
printf '\377' | dd of=r/groups/test-urban-g00000/core-3500000000.tar bs=1 seek=700 conv=notrunc status=none
rm r/groups/train-metro-g00001/core-28000000000.tar
for root in r "$data/channels4world/cache" absent; do
	c4w verify "$root" --components core,detail --json >out 2>/dev/null || true
	"$python" -c '
import json, sys
keys = {"type", "item", "scene_id", "component", "frequency_hz", "bs", "severity", "state", "rule", "path", "offset", "message", "expected", "found", "count"}
lines = [json.loads(x) for x in open("out")]
for x in lines:
    if x["type"] == "finding":
        assert set(x) == keys, set(x) ^ keys
        assert x["state"] in ("failed", "missing", "unpublished", "unsupported", "unreadable")
        assert (x["rule"] is not None) == (x["state"] == "failed"), x
        assert isinstance(x["frequency_hz"], int) and isinstance(x["bs"], int) and x["count"] >= 1
    elif x["type"] == "summary":
        assert set(x) >= {"level", "passed", "failed", "missing", "unpublished", "unsupported", "unreadable", "bytes"}
        print({k: v for k, v in x.items() if k not in ("type", "bytes")})
    else:
        print(x)
assert sum(x["type"] == "summary" for x in lines) <= 1
'
done
