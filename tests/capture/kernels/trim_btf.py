#!/usr/bin/env python3
"""Cuts a kernel's BTF down to what the recorder reads, for the tests of other kernels than this one.

  trim_btf.py VMLINUX_BTF OUT       the raw .BTF section of a kernel, as in /sys/kernel/btf/vmlinux

Kept with their offsets: of the structs in capture/kernel_types.h the members named there, the enums
whose numbers differ from kernel to kernel, and the prototypes of the block tracepoints. What a
pointer leads to is kept when it is one of these structs.
"""
import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = open(os.path.join(HERE, "../../../capture/kernel_types.h")).read()
WORDS = set(re.findall(r"\w+", re.sub(r"/\*.*?\*/", "", TYPES, flags=re.S)))
STRUCTS = {re.sub(r"___\w+", "", name) for name in re.findall(r"^struct (\w+) \{", TYPES, flags=re.M)}
ENUMS = {"req_opf", "req_op", "req_flag_bits", "rqf_flags", "pageflags"}
ENUMERATORS = re.compile(r"REQ_OP_ZONE_APPEND$|__REQ_|__RQF_|PG_writeback$")
TRACEPOINTS = ["bio_queue", "split", "bio_backmerge", "bio_frontmerge", "rq_merge", "rq_issue", "rq_complete",
               "bio_complete"]
INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF = range(1, 9)
FUNC_PROTO = 13
MODIFIERS = {9, 10, 11, 18}  # volatile, const, restrict, type tag
TAILS = {INT: (4, 0), ARRAY: (12, 0), STRUCT: (0, 12), UNION: (0, 12), ENUM: (0, 8), FUNC_PROTO: (0, 8),
         14: (4, 0), 15: (0, 12), 17: (4, 0), 19: (0, 12)}


class Btf:
    def __init__(self, blob):
        magic, _, _, header, types, types_size, strings, strings_size = struct.unpack_from("<HBBIIIII", blob)
        assert magic == 0xEB9F, "no BTF"
        self.strings = blob[header + strings:header + strings + strings_size]
        self.types = [(0, 0, 0, 0, b"")]  # name, kind, kind flag and vlen, size or type, tail
        at, end = header + types, header + types + types_size
        while at < end:
            name, info, value = struct.unpack_from("<III", blob, at)
            kind, vlen = info >> 24 & 0x1F, info & 0xFFFF
            fixed, each = TAILS.get(kind, (0, 0))
            tail = blob[at + 12:at + 12 + fixed + each * vlen]
            self.types.append((self.text(name), kind, info & 0x80FFFFFF, value, tail))
            at += 12 + len(tail)

    def text(self, offset):
        return self.strings[offset:self.strings.index(b"\0", offset)].decode()


class Trimmed:
    """A new BTF, filled by keep()."""

    def __init__(self, source):
        self.source = source
        self.strings = bytearray(b"\0")
        self.types = []
        self.known = {0: 0}

    def string(self, text):
        if not text:
            return 0
        at = self.strings.find(b"\0" + text.encode() + b"\0")
        if at >= 0:
            return at + 1
        self.strings += text.encode() + b"\0"
        return len(self.strings) - len(text) - 1

    def add(self, name, kind, flags, value, tail):
        self.types.append(struct.pack("<III", self.string(name), flags | kind << 24, value) + tail)
        return len(self.types)

    def keep(self, number, behind_pointer=False):
        name, kind, flags, value, tail = self.source.types[number]
        if behind_pointer and kind in (STRUCT, UNION) and name not in STRUCTS:
            return self.add(name, FWD, (kind == UNION) << 31, 0, b"") if name else 0
        if behind_pointer and kind == FUNC_PROTO:
            return 0
        if number not in self.known:
            self.types.append(b"")  # its number is known before what it is made of
            self.known[number] = place = len(self.types)
            value, flags, tail = self.parts(kind, flags, value, tail)
            self.types[place - 1] = struct.pack("<III", self.string(name), flags | kind << 24, value) + tail
        return self.known[number]

    def parts(self, kind, flags, value, tail):
        if kind == PTR:
            value = self.keep(value, True)
        elif kind == TYPEDEF or kind in MODIFIERS:
            value = self.keep(value)
        elif kind == ARRAY:
            element, index, count = struct.unpack("<III", tail)
            tail = struct.pack("<III", self.keep(element), self.keep(index), count)
        elif kind in (STRUCT, UNION):
            members = [m for m in struct.iter_unpack("<III", tail) if self.is_wanted(m)]
            tail = b"".join(struct.pack("<III", self.string(self.source.text(name)), self.keep(kind_of), offset)
                            for name, kind_of, offset in members)
            flags = flags & 0x80000000 | len(members)
        elif kind == ENUM:
            values = [v for v in struct.iter_unpack("<Ii", tail) if ENUMERATORS.match(self.source.text(v[0]))]
            tail = b"".join(struct.pack("<Ii", self.string(self.source.text(name)), v) for name, v in values)
            flags = flags & 0x80000000 | len(values)
        elif kind == FUNC_PROTO:
            tail = b"".join(struct.pack("<II", 0, self.keep(of)) for _, of in struct.iter_unpack("<II", tail))
        return value, flags, tail

    def is_wanted(self, member):
        name = self.source.text(member[0])
        if name:
            return name in WORDS
        _, kind, _, _, tail = self.source.types[member[1]]  # anonymous: what is in it counts
        return kind in (STRUCT, UNION) and any(self.is_wanted(m) for m in struct.iter_unpack("<III", tail))

    def blob(self):
        types = b"".join(self.types)
        return struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(self.strings)) + types + \
            bytes(self.strings)


def trim(blob):
    source = Btf(blob)
    trimmed = Trimmed(source)
    typedefs = {"btf_trace_block_" + name for name in TRACEPOINTS}
    for number, (name, kind, _, _, _) in enumerate(source.types):
        if kind == TYPEDEF and name in typedefs:
            pointer = source.types[number][3]
            prototype = trimmed.keep(source.types[pointer][3])
            trimmed.add(name, TYPEDEF, 0, trimmed.add("", PTR, 0, prototype, b""), b"")
        elif kind == STRUCT and name in STRUCTS or kind == ENUM and name in ENUMS:
            trimmed.keep(number)
    return trimmed.blob()


path, out = sys.argv[1:]
open(out, "wb").write(trim(open(path, "rb").read()))
