#!/usr/bin/env python3
"""The assertions in torch's CUDA kernels: file, line, function and expression, read off the machine code in its libraries.

Needs no GPU, no CUDA, and does not import torch. A kernel's assertion is a call of __assertfail(expression, file, line, function, …), whose
arguments are loaded right before it: the line as an immediate, pointers to text as immediates or from constant bank 4; either way a relocation names the
symbol whose address the loader puts there. The few instructions that load them have had the same encoding on every architecture since 7.0; older images are not looked at.
An assertion that the compiler has proven never to fail leaves its text in the image but no call, and is not listed.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import signal
import subprocess
import sys

from device_images import NO_DATA, REL, RELA, SYMBOLS, Broken, images, read_image, sections, text_at, unpack

OLDEST_ARCHITECTURE = 70
GIVEN_AT_RUN_TIME = "<given at run time>"   # the expression of _assert_async is the caller's message
COLUMNS = ("kind", "file", "line", "function", "read_in", "expression", "ops", "rule", "reason")  # of the kept list

Assertion = collections.namedtuple("Assertion", "file line function expression")

ADDRESS, LOW_HALF = 2, 56                # kinds of relocations: 64 bits, or the lower 32 as an instruction's immediate

# Registers of a call's arguments, by the CUDA ABI.
EXPRESSION, FILE, LINE, FUNCTION = 4, 6, 8, 10
FIRST_SAVED = 16                         # from this register on, a called function leaves them alone

# Instructions are 16 bytes. In the first half: the opcode in bits 0–11, a predicate in 12–15 (7: always), the register written in 16–23, a source in 24–31.
CALL = re.compile(rb"\x43(?:\x73\x00.|\x79\x00\x00)\x00{4}", re.DOTALL)   # of a register, or of a symbol
CALLS = {0x343, 0x344, 0x943, 0x944}
JUMPS = {0x947, 0x949, 0x94A, 0x94D, 0x950}
MOVE, MOVE_IMMEDIATE, MOVE_CONSTANT, MOVE_UNIFORM = 0x202, 0x802, 0xA02, 0xC02
MULTIPLY_ADD, MULTIPLY_ADD_IMMEDIATE, MULTIPLY_ADD_CONSTANT, MULTIPLY_ADD_UNIFORM = 0x224, 0x424, 0x624, 0xE24  # 0 * 0 + x is a move too
HALVES_IMMEDIATE = {0x431, 0x435}        # and so is 0 * 0 + x in two halves
LOAD_CONSTANT, LOAD_UNIFORM, LOAD_UNIFORM_100, UNIFORM_IMMEDIATE, UNIFORM_MOVE = 0xB82, 0xAB9, 0x7AC, 0x882, 0xC82
WRITES_UNIFORM = {LOAD_UNIFORM, LOAD_UNIFORM_100, UNIFORM_IMMEDIATE, UNIFORM_MOVE, 0x290, 0x291, 0x292, 0x299, 0x883, 0x886, 0x899, 0x9C3}
ZERO, UNIFORM_ZERO = 255, 63
WORDS = {5: 2, 6: 4}                     # how many registers a load of this width writes
FARTHEST = 128                           # instructions before a call: none of the arguments is loaded earlier


class Kernels:
    """The code of one cubin, with the texts that it points at."""

    def __init__(self, data):
        self.data = data
        self.sections = sections(data)
        self.bank = next((x.offset for x in self.sections if x.name == ".nv.constant4"), 0)
        self.texts = {}                  # offset of what the loader overwrites with the address of a text → the text
        symbols = next((x for x in self.sections if x.kind == SYMBOLS), None)
        for relocations in self.sections:
            if symbols and relocations.kind in (RELA, REL) and re.match(r"\.rela?(\.nv\.constant4$|\.text\.)", relocations.name):
                self._read_texts(relocations, symbols)

    def _read_texts(self, relocations, symbols):
        if relocations.info >= len(self.sections):
            raise Broken("relocations of no section")
        target, size = self.sections[relocations.info], 24 if relocations.kind == RELA else 16
        for position in range(relocations.offset, relocations.offset + relocations.size, size):
            place, info = unpack("<QQ", self.data, position)
            kind, place = info & 0xFFFFFFFF, target.offset + place
            if kind not in (ADDRESS, LOW_HALF):
                continue
            if relocations.kind == RELA:
                addend, = unpack("<q", self.data, position + 16)
            else:
                addend, = unpack("<q", self.data, place) if kind == ADDRESS else unpack("<I", self.data, place + 4)
            _, _, _, section, value, _ = unpack("<IBBHQQ", self.data, symbols.offset + 24 * (info >> 32))
            text = self._text(section, value + addend)
            if text:
                self.texts[place] = text

    def _text(self, number, offset):
        """The text at an offset of a section, or None if there is something else."""
        section = self.sections[number] if 0 < number < len(self.sections) else None
        if section is None or section.kind == NO_DATA or not 0 <= offset < section.size:
            return None
        text = text_at(self.data, section.offset + offset)
        return text.decode("utf-8", "replace") if text and all(byte >= 32 or byte in (9, 10) for byte in text) else None

    def assertions(self):
        """Every assertion, and the number of calls that look like one but whose arguments cannot be told."""
        found, unclear = set(), 0
        for code in self.sections:
            if not code.name.startswith(".text"):
                continue
            for call in CALL.finditer(self.data, code.offset, code.offset + code.size):
                if (call.start() - code.offset) % 16:
                    continue
                argument = lambda register: self._value(code.offset, call.start(), register)
                file = argument(FILE)
                if not isinstance(file, str) or not re.search(r"/.*\.\w+$", file):
                    continue
                line, function, expression = argument(LINE), argument(FUNCTION), argument(EXPRESSION)
                if isinstance(line, int) and isinstance(function, str):
                    found.add(Assertion(file, line, function, expression if isinstance(expression, str) else GIVEN_AT_RUN_TIME))
                else:
                    unclear += 1
        return found, unclear

    def _value(self, start, position, register, uniform=False):
        """What a register holds before the instruction at `position`: a number, the text that it points at, or None if that cannot be told.
        Looks back along the addresses, which is right where no jump leads in between; if one does, another call shows the same values."""
        if register == (UNIFORM_ZERO if uniform else ZERO):
            return 0
        for position in range(position - 16, max(start, position - 16 * FARTHEST) - 1, -16):
            low, high = unpack("<QQ", self.data, position)
            opcode, always, written = low & 0xFFF, low >> 12 & 15 == 7, low >> 16 & 255
            if opcode in JUMPS and always or opcode in CALLS and not uniform and register < FIRST_SAVED:
                return None
            if (opcode in WRITES_UNIFORM) != uniform:
                continue
            words = WORDS.get(high >> 9 & 7, 1) if opcode in (LOAD_CONSTANT, LOAD_UNIFORM, LOAD_UNIFORM_100) else 1
            if written <= register < written + words:
                return self._written(start, position, low, high, 4 * (register - written)) if always else None
        return None

    def _written(self, start, position, low, high, more):
        """What the instruction at `position` writes; for loads, to its register number `more` / 4."""
        opcode, source, immediate, register = low & 0xFFF, low >> 24 & 255, low >> 32, low >> 32 & 255
        constant = low >> 54 & 31, (low >> 40 & 0x3FFF) * 4
        if opcode in (MOVE_IMMEDIATE, UNIFORM_IMMEDIATE):
            return self.texts.get(position, immediate)
        if opcode == MOVE:
            return self._value(start, position, register)
        if opcode in (MOVE_UNIFORM, UNIFORM_MOVE):
            return self._value(start, position, register, uniform=True)
        if opcode == MOVE_CONSTANT:
            return self._constant(*constant)
        if opcode == LOAD_UNIFORM:
            return self._constant(constant[0], constant[1] + more)
        if source != ZERO:
            return None
        if opcode == MULTIPLY_ADD:
            return self._value(start, position, high & 255)
        if opcode == MULTIPLY_ADD_CONSTANT:
            return self._constant(*constant)
        if opcode == MULTIPLY_ADD_UNIFORM:
            return self._value(start, position, register, uniform=True)
        if opcode == MULTIPLY_ADD_IMMEDIATE or opcode in HALVES_IMMEDIATE:
            return self.texts.get(position, immediate)
        if opcode == LOAD_CONSTANT:
            return self._constant(low >> 54 & 31, (low >> 38 & 0xFFFF) + more)
        if opcode == LOAD_UNIFORM_100:
            return self._constant(low >> 54 & 31, (low >> 37 & 0x1FFFF) + more)
        return None

    def _constant(self, bank, offset):
        """The text that a pointer in a constant bank points at; its upper half counts for the whole."""
        return self.texts.get(self.bank + (offset & ~7)) if bank == 4 else None


def assertions_of_image(image):
    """For worker processes: see Kernels.assertions."""
    try:
        data = read_image(image)
        return Kernels(data).assertions() if b"__assertfail" in data else (set(), 0)
    except Broken as problem:
        raise Broken(f"{image.path}: image for sm_{image.architecture}: {problem}") from None


def shortened(path):
    """A path inside PyTorch's sources, without the folder that they were built in."""
    return re.sub(r"^.*?/(?=(aten/src|c10|torch/csrc|third_party|caffe2)/)", "", path, count=1)


def escaped(text):
    """A text as the list and the output hold it, in one line."""
    return text.replace("\t", "\\t").replace("\n", "\\n")


def without_unknown(found):
    """Where one line has assertions with and without a text, those without are the same ones, told apart at run time."""
    known = {(x.file, x.line, x.function) for x in found if x.expression != GIVEN_AT_RUN_TIME}
    return {x for x in found if x.expression != GIVEN_AT_RUN_TIME or (x.file, x.line, x.function) not in known}


def assertions_of(folder):
    """Every assertion in the libraries of the torch in this folder, sorted."""
    libraries = sorted(glob.glob(os.path.join(folder, "lib", "*.so")))
    if not libraries:
        raise Broken(f"{folder}: no torch here (its folder has lib/*.so)")
    found, todo, unclear, seen = set(), [], 0, 0
    for library in libraries:
        try:
            todo += images(library)
        except (Broken, OSError) as problem:
            raise Broken(f"{library}: {problem}") from None
    if not todo:
        raise Broken(f"{folder}: no device code in its libraries (a torch without CUDA?)")
    todo = [image for image in todo if image.architecture >= OLDEST_ARCHITECTURE]
    if not todo:
        raise Broken(f"{folder}: only device code for architectures before sm_{OLDEST_ARCHITECTURE}, which is not understood")
    show = sys.stderr.isatty()
    # The workers leave an interrupt to this process.
    with concurrent.futures.ProcessPoolExecutor(initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool:
        try:
            for part, without in pool.map(assertions_of_image, todo, chunksize=8):
                found |= {x._replace(file=shortened(x.file), expression=escaped(x.expression)) for x in part}
                unclear, seen = unclear + without, seen + 1
                if show and (seen % 20 == 0 or seen == len(todo)):
                    print(f"\r{seen} of {len(todo)} device images", end="\n" if seen == len(todo) else "", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if unclear:
        print(f"kernel_asserts: {folder}: {unclear} calls look like assertions, but their line or function cannot be told", file=sys.stderr)
    return sorted(without_unknown(found))


def kept_list(path):
    """The rows of a kept list that stand for assertions in device code. Lines that start with # are comments."""
    rows = []
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.startswith("#") or line == "\n":
                    continue
                values = line.rstrip("\n").split("\t")
                row = dict(zip(COLUMNS, values))
                if len(values) != len(COLUMNS) or not row["line"].isdigit():
                    raise Broken(f"{path}:{number}: not a row of {', '.join(COLUMNS)} with tabs between them")
                if row["kind"] == "device":
                    rows.append(Assertion(row["file"], int(row["line"]), row["function"], row["expression"]))
    except (OSError, UnicodeDecodeError) as problem:
        raise Broken(f"{path}: {problem}") from None
    return rows


def differences(kept, found):
    """One line of text for each difference between two lists of assertions: what came, went, changed its text, or moved within its file."""
    def by_text(assertions):
        lines = collections.defaultdict(set)
        for x in assertions:
            lines[x.file, x.function, x.expression].add(x.line)
        return lines
    old, new = by_text(kept), by_text(found)
    went, came = (sorted((key, sorted(a[key])) for key in a.keys() - b.keys()) for a, b in ((old, new), (new, old)))
    said = []
    for gone in list(went):
        match = next((x for x in came if x[0][:2] == gone[0][:2]), None)
        if match:
            went.remove(gone)
            came.remove(match)
            said.append(f"changed\t{gone[0][0]}\t{gone[0][1]}\t{gone[0][2]}\t→ {match[0][2]}")
    for word, rows in (("came", came), ("went", went)):
        said += [f"{word}\t{file}\t{','.join(map(str, lines))}\t{function}\t{text}" for (file, function, text), lines in rows]
    for key in sorted(old.keys() & new.keys()):
        if old[key] != new[key]:
            lines = [",".join(map(str, sorted(x[key]))) for x in (old, new)]
            said.append(f"moved\t{key[0]}\t{lines[0]} → {lines[1]}\t{key[1]}\t{key[2]}")
    return said


def folder_of(place):
    """The folder of the torch that is meant: itself, or what a Python finds when it imports torch."""
    if os.path.isdir(place):
        return place
    if not os.access(place, os.X_OK):
        raise Broken(f"{place}: neither a folder nor a Python")
    find = "import importlib.util as u; spec = u.find_spec('torch'); print(spec.submodule_search_locations[0] if spec else '')"
    try:
        answer = subprocess.run([place, "-c", find], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Broken(f"{place}: {problem}") from None
    folder = answer.stdout.strip()
    if answer.returncode or not os.path.isdir(folder):
        raise Broken(f"{place}: no torch there")
    return folder


def main(arguments=None):
    options = argparse.ArgumentParser(
        description="Lists the assertions compiled into the CUDA kernels of an installed torch: file, line, function, expression.",
        epilog="example: tools/kernel_asserts.py build/venv/bin/python --compare harness/asserts/kernel_asserts.tsv")
    options.add_argument("torch", nargs="+", help="a torch folder (the one with lib/), or a Python that has torch")
    options.add_argument("--compare", metavar="LIST.tsv", help="print only what differs from this list; exit status 1 if anything does")
    given = options.parse_args(arguments)
    try:
        kept = kept_list(given.compare) if given.compare else None
        different = False
        for place in given.torch:
            found = assertions_of(folder_of(place))
            if len(given.torch) > 1:
                print(f"# {place}")
            if kept is not None:
                said = differences(kept, found)
                different |= bool(said)
                print("\n".join(said + [f"{len(found)} assertions, {len(said)} differences"]))
            else:
                for x in found:
                    print(*x, sep="\t")
    except Broken as problem:
        print(f"kernel_asserts: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
