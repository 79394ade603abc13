"""The device images (cubins, GPU code in ELF files) that CUDA's compiler puts into a shared library, unpacked with Python's standard library
and the system's libzstd or liblz4. Nothing here needs CUDA or torch."""
import ctypes
import mmap
import struct
from collections import namedtuple

# A section .nv_fatbin holds containers, each a header and entries; an entry is a header and the image of one architecture.
CONTAINER_MAGIC = 0xBA55ED50
CONTAINER_HEADER = "<IHHQ"               # magic, version, size of this header, size of the entries
ENTRY_HEADER = "<HHIQIIHHIIIQQQ"         # kind, version, size of this header, stored size, compressed size, …, architecture [8], flags [11], …, size [13]
KIND_CUBIN = 2                           # the other one is PTX, text
LZ4, ZSTD = 0x2000, 0x8000               # flags: how an image is compressed, if it is
LARGEST = 1 << 31                        # bytes of an image, unpacked; the largest that torch has are 41 MB
NO_DATA, SYMBOLS, RELA, REL = 8, 2, 4, 9   # kinds of ELF sections

Section = namedtuple("Section", "name kind offset size info")
Image = namedtuple("Image", "path architecture offset stored size flags")


class Broken(Exception):
    """A file that is not what it should be, or a library that is missing; the message is for the user."""


def unpack(form, data, offset):
    """struct.unpack_from with Broken for what lies outside of the data."""
    try:
        return struct.unpack_from(form, data, offset)
    except (struct.error, OverflowError):
        raise Broken(f"the data ends at {len(data)}, which is within something at {offset}") from None


def text_at(data, offset):
    """The bytes before the next NUL."""
    end = data.find(b"\0", offset)
    if not 0 <= offset < len(data) or end < 0:
        raise Broken(f"no text at {offset}")
    return bytes(data[offset:end])


def sections(data):
    """The sections of a 64-bit little-endian ELF file, in their order."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise Broken("no 64-bit ELF file")
    table, = unpack("<Q", data, 0x28)
    count, names = unpack("<HH", data, 0x3C)
    headers = [unpack("<IIQQQQII", data, table + 64 * number) for number in range(count)]
    if names >= count:
        raise Broken("no names of sections")
    for _, kind, _, _, offset, size, _, _ in headers:
        if kind != NO_DATA and offset + size > len(data):
            raise Broken(f"a section ends at {offset + size}, the data at {len(data)}")
    return [Section(text_at(data, headers[names][4] + name).decode("utf-8", "replace"), kind, offset, size, info)
            for name, kind, _, _, offset, size, _, info in headers]


def images(path):
    """The cubins in a shared library, still compressed; none if it has no device code."""
    with open(path, "rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise Broken("the file is empty") from None
        with data:
            return [image for section in sections(data) if section.name == ".nv_fatbin" for image in _images_in(path, data, section)]


def _images_in(path, data, section):
    found = []
    position, end = section.offset, section.offset + section.size
    while position < end:
        magic, _, header, size = unpack(CONTAINER_HEADER, data, position)
        if magic == 0:                   # containers start at multiples of 8
            position += 8
            continue
        if magic != CONTAINER_MAGIC:
            raise Broken(f"no device images where they should be, at {position:#x}")
        entry, position = position + header, position + header + size
        if header < struct.calcsize(CONTAINER_HEADER) or position > end:
            raise Broken(f"device images do not fit in their section, at {entry - header:#x}")
        while entry < position:
            fields = unpack(ENTRY_HEADER, data, entry)
            kind, header, stored, compressed, architecture, flags, unpacked = (fields[i] for i in (0, 2, 3, 4, 8, 11, 13))
            if header < struct.calcsize(ENTRY_HEADER) or entry + header + stored > position or compressed > stored:
                raise Broken(f"a device image does not fit where it lies, at {entry:#x}")
            if kind == KIND_CUBIN:
                packed = flags & (LZ4 | ZSTD)
                found.append(Image(path, architecture, entry + header, compressed if packed else stored, unpacked if packed else stored, flags))
            entry += header + stored
    return found


def read_image(image):
    """An image's bytes, decompressed."""
    with open(image.path, "rb") as file:
        file.seek(image.offset)
        packed = file.read(image.stored)
    if len(packed) != image.stored:
        raise Broken("the file has become shorter")
    decompress = _zstd if image.flags & ZSTD else _lz4 if image.flags & LZ4 else lambda data, size: data
    data = decompress(packed, image.size) if image.size < LARGEST else None
    if data is None:
        raise Broken(f"a compressed device image is damaged, at {image.offset:#x}")
    return data


def _zstd(packed, size):
    """The `size` bytes that were packed, or None."""
    library = _library("libzstd.so.1", "libzstd1")
    length = ctypes.c_size_t(len(packed))
    library.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
    if library.ZSTD_getFrameContentSize(packed, length) != size:
        return None
    out = ctypes.create_string_buffer(size)
    library.ZSTD_decompress.restype = ctypes.c_size_t
    return out.raw if library.ZSTD_decompress(out, ctypes.c_size_t(size), packed, length) == size else None


def _lz4(packed, size):
    library = _library("liblz4.so.1", "liblz4-1")
    if size > 255 * len(packed):         # more than LZ4 can hold
        return None
    out = ctypes.create_string_buffer(size)
    return out.raw if library.LZ4_decompress_safe(packed, out, len(packed), size) == size else None


def _library(name, package):
    try:
        return ctypes.CDLL(name)
    except OSError:
        raise Broken(f"{name} is needed to read compressed device images; as root: apt-get install {package}") from None
