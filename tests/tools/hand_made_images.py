"""Small libraries with device images, made by hand: what tools/kernel_asserts.py reads, without a compiler."""
import ctypes
import struct

LZ4, ZSTD = 0x2000, 0x8000
ADDRESS, LOW_HALF, HIGH_HALF = 2, 56, 57  # kinds of relocations
ALWAYS = 7 << 12                          # the predicate of an instruction that always runs


def instruction(opcode, written=0, source=255, more=0, high=0, predicate=ALWAYS):
    return struct.pack("<QQ", opcode | predicate | written << 16 | source << 24 | more, high)


def immediate(register, value, opcode=0x802, **keys):
    return instruction(opcode, register, more=value << 32, **keys)


def constant(register, offset, bank=4):
    return instruction(0xA02, register, more=(offset // 4) << 40 | bank << 54)


def add_constant(register, offset):
    """IMAD.MOV: 0 * 0 + a constant."""
    return instruction(0x624, register, more=(offset // 4) << 40 | 4 << 54, high=255)


def load_pair(register, offset):
    return instruction(0xB82, register, more=offset << 38 | 4 << 54, high=5 << 9)


def load_uniform_pair(register, offset):
    return instruction(0xAB9, register, source=0, more=(offset // 4) << 40 | 4 << 54, high=5 << 9)


def load_uniform_pair_100(register, offset):
    return instruction(0x7AC, register, more=offset << 37 | 4 << 54, high=5 << 9)


def from_uniform(register, uniform):
    return instruction(0xC02, register, more=uniform << 32)


def copy(register, source):
    return instruction(0x202, register, more=source << 32)


def call(register=2):
    return instruction(0x343, 0, register)


JUMP = instruction(0x947, source=0)
CALL_OF_A_SYMBOL = instruction(0x943, source=0)


def arguments(expression=0, file=8, function=16, line=42, load=constant):
    """What comes before an assertion: three pointers from slots of bank 4, and the line."""
    return load(4, expression) + load(5, expression + 4) + load(6, file) + load(7, file + 4) + immediate(8, line) + load(10, function) + load(11, function + 4)


def elf(parts):
    """An ELF file of sections (name, kind, data, info)."""
    names, body, headers = b"\0", b"", [struct.pack("<IIQQQQIIQQ", *[0] * 10)]
    parts = list(parts) + [(".shstrtab", 3, b"", 0)]
    for name, _, _, _ in parts:
        names += name.encode() + b"\0"
    for name, kind, data, info in parts:
        data = names if name == ".shstrtab" else data
        headers.append(struct.pack("<IIQQQQIIQQ", names.index(b"\0" + name.encode() + b"\0") + 1, kind, 0, 0, 64 + len(body), len(data), 0, info, 8, 0))
        body += data + b"\0" * (-len(data) % 8)
    header = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 3, 190, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(headers), len(headers) - 1)
    return header + body + b"".join(headers)


def cubin(code, texts=("x > 0", "/src/pytorch/aten/src/ATen/native/cuda/Some.cu", "kernel"), in_code=(), addends=True):
    """A kernel's code, with slots 0, 8, 16, … of bank 4 that point at the texts. `in_code`: (position, text number, kind of relocation) of immediates instead.
    Without `addends`, relocations are of the kind that leaves the addend where it is to be added."""
    held, symbols, slots = b"", struct.pack("<IBBHQQ", *[0] * 6), []
    for number, text in enumerate(texts):
        symbols += struct.pack("<IBBHQQ", 0, 1, 0, 3, len(held), len(text) + 1)  # of section 3
        held += text.encode() + b"\0"
        slots.append((8 * number, number, ADDRESS))

    def relocations(places):
        return b"".join(struct.pack("<QQ", place, number + 1 << 32 | kind) + (bytes(8) if addends else b"") for place, number, kind in places)
    kind, prefix = (4, ".rela") if addends else (9, ".rel")
    return elf([(".symtab", 2, symbols, 0), (".strtab", 3, b"\0__assertfail\0", 0), (".nv.global.init", 1, held, 0), (".nv.constant4", 1, bytes(8 * len(texts)), 0),
                (prefix + ".nv.constant4", kind, relocations(slots), 4), (".text.kernel", 1, code, 0), (prefix + ".text.kernel", kind, relocations(in_code), 6)])


def packed(data, flags):
    out = ctypes.create_string_buffer(len(data) + 1000)
    if flags & ZSTD:
        zstd = ctypes.CDLL("libzstd.so.1")
        zstd.ZSTD_compress.restype = ctypes.c_size_t
        length = zstd.ZSTD_compress(out, ctypes.c_size_t(len(out)), data, ctypes.c_size_t(len(data)), 3)
    elif flags & LZ4:
        length = ctypes.CDLL("liblz4.so.1").LZ4_compress_default(data, out, len(data), len(out))
    else:
        return data
    return out.raw[:length]


def entry(image, architecture=90, flags=0, kind=2):
    data = packed(image, flags)
    stored = data + b"\0" * (-len(data) % 8)
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(stored), len(data) if flags else 0, 0, 0, 8, architecture, 0, 0, 0x11 | flags, 0,
                       len(image) if flags else 0) + stored


def library(*containers):
    """A shared library whose device images are in containers, each a list of entries."""
    section = b""
    for entries in containers:
        section += struct.pack("<IHHQ", 0xBA55ED50, 1, 16, sum(map(len, entries))) + b"".join(entries) + bytes(8)
    return elf([(".text", 1, b"host code", 0), (".nv_fatbin", 1, section, 0)])
