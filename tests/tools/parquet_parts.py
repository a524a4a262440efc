"""The structures of a Parquet file as Python values, to be changed and written back: Thrift's compact protocol, nothing else.

A struct is a dict {field id: (wire type, value)}, a list is (element's wire type, [values]). Wire types: 1 true and 2 false (the value is a
bool), 3 byte, 4 to 6 integers, 7 double (8 bytes), 8 binary, 9 list, 12 struct.
"""
import struct


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        v = shift = 0
        while True:
            b = self.byte()
            v |= (b & 127) << shift
            shift += 7
            if b < 128:
                return v

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    def take(self, n):
        self.at += n
        return bytes(self.data[self.at - n:self.at])

    def value(self, wire):
        if wire in (1, 2):
            return wire == 1
        if wire == 3:
            return self.byte()
        if wire in (4, 5, 6):
            return self.zigzag()
        if wire == 7:
            return self.take(8)
        if wire == 8:
            return self.take(self.varint())
        if wire in (9, 10):
            head = self.byte()
            n = head >> 4 if head >> 4 < 15 else self.varint()
            kind = head & 15
            return kind, [self.byte() == 1 if kind in (1, 2) else self.value(kind) for _ in range(n)]
        if wire == 12:
            return self.struct()
        raise ValueError(f"wire type {wire}")

    def struct(self):
        out, last = {}, 0
        while (head := self.byte()) != 0:
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            out[last] = (head & 15, self.value(head & 15))
        return out


def varint(v):
    out = b""
    while v >= 128:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def zigzag(v):
    return varint(v << 1 if v >= 0 else (-v << 1) - 1)


def put(wire, v):
    if wire in (1, 2):
        return b""
    if wire == 3:
        return bytes([v])
    if wire in (4, 5, 6):
        return zigzag(v)
    if wire == 7:
        return v
    if wire == 8:
        return varint(len(v)) + v
    if wire in (9, 10):
        kind, items = v
        head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + varint(len(items))
        return head + b"".join(bytes([1 if x else 2]) if kind in (1, 2) else put(kind, x) for x in items)
    return put_struct(v)


def put_struct(s):
    out, last = b"", 0
    for i, (wire, v) in sorted(s.items()):
        wire = (1 if v else 2) if wire in (1, 2) else wire
        out += bytes([i - last << 4 | wire]) if 0 < i - last < 16 else bytes([wire]) + zigzag(i)
        out += put(wire, v)
        last = i
    return out + b"\0"


def get(s, *path):
    """A value below a struct: field ids, and for lists positions."""
    for k in path:
        s = s[k][1] if isinstance(s, dict) else s[1][k]
    return s


def change(s, value, *path):
    """Sets the value at a path; its wire type stays."""
    *front, last = path
    for k in front:
        s = s[k][1] if isinstance(s, dict) else s[1][k]
    if isinstance(s, dict):
        s[last] = (s[last][0], value)
    else:
        s[1][last] = value


class File:
    """The bytes in front of the footer, and the footer. Parts are replaced by putting new ones behind the old, and pointing there."""

    def __init__(self, data):
        n = struct.unpack("<I", data[-8:-4])[0]
        self.front = bytearray(data[:-8 - n])
        self.footer = Reader(data, len(data) - 8 - n).struct()

    def bytes(self):
        footer = put_struct(self.footer)
        return bytes(self.front) + footer + struct.pack("<I", len(footer)) + b"PAR1"

    def chunk(self, group, column):
        return get(self.footer, 4, group, 1, column)

    def append(self, data):
        at = len(self.front)
        self.front += data
        return at

    def index(self, group, column, which):
        """which: 4 offset index, 6 column index (the fields of ColumnChunk)."""
        return Reader(self.front, get(self.chunk(group, column), which)).struct()

    def put_index(self, group, column, which, index):
        data = put_struct(index)
        c = self.chunk(group, column)
        c[which] = (6, self.append(data))
        c[which + 1] = (5, len(data))

    def pages(self, group, column):
        """(offset, header's length, header) of each page."""
        meta = get(self.chunk(group, column), 3)
        at = min(x for x in (get(meta, 9), get(meta, 11) if 11 in meta else 0) if x > 0)
        end = at + get(meta, 7)
        while at < end:
            r = Reader(self.front, at)
            header = r.struct()
            yield at, r.at - at, header
            at = r.at + get(header, 3)
