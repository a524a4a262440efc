#!/usr/bin/env python3
"""Makes tests/data/channels4world/one and one-cache: one scene, carrier and base station; entries stored, tables uncompressed and without
dictionaries, blanks at the ends of JSON. So a test can change bytes in place and renew the hashes above by replacing their text.

    make_chw_one.py OUT      writes OUT/one and OUT/one-cache
"""
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import make_channels4world as mk  # noqa: E402

mk.CARRIERS = [3_500_000_000]
out = Path(sys.argv[1])
with tempfile.TemporaryDirectory() as tmp:
    sys.argv = ["make_channels4world.py", tmp + "/base", "--groups", "1", "--scenes", "1", "--bs", "1", "--ues", "6", "--seed", "11", "--stored"]
    mk.main()
    import chw_model as cm
    for name, blanks in (("one", 2048), ("one-cache", 64)):
        m = cm.Model(tmp + "/base")
        geometry = m.get("geometry")
        geometry.entries.append(cm.Entry("meshes/link", b"../scene.json"))
        for e in geometry.entries:
            e.method, e.zip64 = 0, False
        m.hook("snapshot_text", lambda t, n=blanks: json.dumps(json.loads(t), indent=1) + " " * n)
        m.hook("members_table", lambda t: m.table_bytes(t, compression="none", use_dictionary=False))
        m.hook("tables", lambda v: {k: m.table_bytes(t, compression="none", use_dictionary=False) for k, t in v.items()})
        m.on_part = [lambda c, hz, index, bodies: (json.dumps(index, indent=1) + " " * 64).encode()]
        (m.write if name == "one" else m.write_cache)(out / name)
