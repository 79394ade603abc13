"""tools/kernel_asserts.py on hand-made libraries."""
import os
import random
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
sys.path.insert(0, TOOLS)
import device_images
import kernel_asserts
from hand_made_images import (
    CALL_OF_A_SYMBOL, HIGH_HALF, JUMP, LOW_HALF, LZ4, ZSTD, add_constant, arguments, call, constant, copy, cubin, entry, from_uniform, immediate,
    instruction, library, load_pair, load_uniform_pair, load_uniform_pair_100)

FILE = "/src/pytorch/aten/src/ATen/native/cuda/Some.cu"
GOOD = (FILE, 42, "kernel", "x > 0")


def assertions(code, **keys):
    found, unclear = kernel_asserts.Kernels(cubin(code, **keys)).assertions()
    return [tuple(x) for x in sorted(found)], unclear


class Code(unittest.TestCase):
    def assert_good(self, code, **keys):
        self.assertEqual(assertions(code, **keys), ([GOOD], 0))

    def test_pointers_from_constants(self):
        self.assert_good(arguments() + call())
        self.assert_good(arguments() + call(), addends=False)
        self.assert_good(arguments(load=add_constant) + call())

    def test_pairs_of_registers(self):
        self.assert_good(load_pair(4, 0) + load_pair(6, 8) + immediate(8, 42) + load_pair(10, 16) + call())

    def test_uniform_registers(self):
        for load in load_uniform_pair, load_uniform_pair_100:
            self.assert_good(load(4, 0) + from_uniform(4, 4) + load(4, 8) + from_uniform(6, 4) + load(8, 16) + from_uniform(10, 8) + immediate(8, 42) + call())

    def test_a_uniform_register_is_another_one(self):
        self.assert_good(arguments() + load_uniform_pair(6, 16) + load_uniform_pair(8, 0) + call())

    def test_copies_of_registers_that_calls_keep(self):
        self.assert_good(load_pair(20, 8) + call() + load_pair(4, 0) + copy(6, 20) + immediate(8, 42) + load_pair(10, 16) + call())

    def test_a_line_in_halves(self):
        for opcode in 0x431, 0x435, 0x424:
            self.assert_good(arguments(line=7) + immediate(8, 42, opcode=opcode) + call())

    def test_pointers_in_the_code(self):
        code = immediate(4, 0) + immediate(5, 0) + immediate(6, 0) + immediate(7, 0) + immediate(8, 42) + immediate(10, 0) + CALL_OF_A_SYMBOL
        places = [(0, 0, LOW_HALF), (16, 0, HIGH_HALF), (32, 1, LOW_HALF), (48, 1, HIGH_HALF), (80, 2, LOW_HALF)]
        for addends in True, False:
            self.assert_good(code, in_code=places, addends=addends)

    def test_every_call(self):
        code = arguments() + call() + arguments(expression=24, line=43) + call() + arguments() + call()
        texts = ("x > 0", FILE, "kernel", 'y < 1 && "y is a\\nnumber"')
        self.assertEqual(assertions(code, texts=texts), ([GOOD, (FILE, 43, "kernel", 'y < 1 && "y is a\\nnumber"')], 0))

    def test_a_text_that_the_host_gives(self):
        code = arguments() + instruction(0xA10, 4) + call()
        self.assertEqual(assertions(code), ([(FILE, 42, "kernel", kernel_asserts.GIVEN_AT_RUN_TIME)], 0))

    def test_other_calls(self):
        self.assertEqual(assertions(call()), ([], 0))
        self.assertEqual(assertions(constant(4, 0) + constant(6, 0) + call()), ([], 0))   # a text that is no file

    def test_what_a_jump_or_a_call_separates(self):
        self.assertEqual(assertions(arguments() + JUMP + call()), ([], 0))
        self.assertEqual(assertions(arguments() + call() + call()), ([GOOD], 0))

    def test_a_line_that_cannot_be_told(self):
        self.assertEqual(assertions(arguments() + instruction(0x210, 8) + call()), ([], 1))
        self.assertEqual(assertions(arguments() + immediate(8, 43, predicate=0) + call()), ([], 1))   # runs or not

    def test_same_line_with_and_without_text(self):
        known = kernel_asserts.Assertion(*GOOD)
        unknown = known._replace(expression=kernel_asserts.GIVEN_AT_RUN_TIME)
        self.assertEqual(kernel_asserts.without_unknown({known, unknown, unknown._replace(line=1)}), {known, unknown._replace(line=1)})

    def test_paths(self):
        for folder in "/pytorch/", "/__w/pytorch/pytorch/", "C:/actions/third/pytorch/", "":
            self.assertEqual(kernel_asserts.shortened(folder + "aten/src/ATen/native/cuda/Loss.cu"), "aten/src/ATen/native/cuda/Loss.cu")
        self.assertEqual(kernel_asserts.shortened("/usr/include/cub.cuh"), "/usr/include/cub.cuh")


class Libraries(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.torch = folder.name
        os.mkdir(os.path.join(self.torch, "lib"))

    def put(self, data, name="libtorch_cuda.so"):
        path = os.path.join(self.torch, "lib", name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def run_tool(self, *arguments):
        done = subprocess.run([sys.executable, os.path.join(TOOLS, "kernel_asserts.py"), *arguments], capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout, done.stderr

    def refused(self, *arguments):
        status, output, errors = self.run_tool(*arguments)
        self.assertEqual((status, output), (2, ""))
        self.assertEqual(errors.count("\n"), 1, errors)
        return errors

    def test_every_image_of_every_library(self):
        one, other = cubin(arguments() + call()), cubin(arguments(line=43) + call())
        self.put(library([entry(one, 50), entry(one, 75)], [entry(one, flags=ZSTD), entry(other, 100, flags=LZ4), entry(b"PTX text", kind=1)]))
        self.put(library([entry(cubin(arguments(line=44) + call()), flags=ZSTD)]), "libtorch_cuda_linalg.so")
        self.put(b"\x7fELF\x02\x01" + bytes(100), "libtorch_cpu.so")
        self.assertIn("libtorch_cpu.so", self.refused(self.torch))
        self.put(library(), "libtorch_cpu.so")
        rows = [f"aten/src/ATen/native/cuda/Some.cu\t{line}\tkernel\tx > 0\n" for line in (42, 43, 44)]
        self.assertEqual(self.run_tool(self.torch), (0, "".join(rows), ""))

    def test_nothing_to_read(self):
        self.assertIn("neither a folder nor a Python", self.refused("/no/such/place"))
        self.assertIn("no torch here", self.refused(os.path.join(self.torch, "lib")))
        self.put(library())
        self.assertIn("a torch without CUDA?", self.refused(self.torch))
        self.put(library([entry(cubin(b""), 60)]))
        self.assertIn("before sm_70", self.refused(self.torch))
        self.assertIn("no torch there", self.refused("/bin/true"))

    def test_a_library_that_is_not_installed(self):
        with self.assertRaisesRegex(device_images.Broken, "^libnone.so.7 is needed .* apt-get install libnone7$"):
            device_images._library("libnone.so.7", "libnone7")

    def test_truncated(self):
        whole = library([entry(cubin(arguments() + call()), flags=ZSTD), entry(cubin(arguments() + call()))])
        for length in range(0, len(whole) - 16, 7):   # the last section's header ends with 16 bytes that nobody reads
            path = self.put(whole[:length])
            with self.assertRaises(device_images.Broken):
                device_images.images(path)
        self.put(whole[:len(whole) // 2])
        self.assertIn("libtorch_cuda.so", self.refused(self.torch))

    def test_garbage(self):
        """Any change to a good file is read, or refused with a message."""
        chance = random.Random(1)
        whole = library([entry(cubin(arguments() + call()), flags=flags) for flags in (0, ZSTD, LZ4)])
        inside = cubin(arguments() + call(), in_code=[(0, 0, LOW_HALF)])
        refused = read = 0
        for _ in range(3000):
            try:
                if chance.random() < 0.5:
                    kernel_asserts.Kernels(changed(inside, chance)).assertions()
                else:
                    for image in device_images.images(self.put(changed(whole, chance))):
                        kernel_asserts.assertions_of_image(image)
                read += 1
            except device_images.Broken:
                refused += 1
        self.assertGreater(read, 100)
        self.assertGreater(refused, 100)

    def test_differences(self):
        some = cubin(arguments() + call() + arguments(expression=24, line=50) + call() + arguments(expression=32, file=40, line=60) + call(),
                     texts=("x > 0", FILE, "kernel", "y > 0", "z > 0", "/pytorch/c10/Other.h"))
        self.put(library([entry(some)]))
        path, file = os.path.join(self.torch, "list.tsv"), "aten/src/ATen/native/cuda/Some.cu"

        def compared(*rows):
            with open(path, "w") as kept:
                kept.write("# comment\n" + "".join("\t".join(map(str, row)) + "\n" for row in rows))
            status, output, errors = self.run_tool(self.torch, "--compare", path)
            self.assertEqual(errors, "")
            return status, output.splitlines()

        def row(line, text, file=file, function="kernel", kind="device"):
            return kind, file, line, function, "2.11.0", text, "aten::x", "x", ""
        same = row(42, "x > 0"), row(50, "y > 0"), row(60, "z > 0", "c10/Other.h"), row(1, "a message", kind="async")
        self.assertEqual(compared(*same), (0, ["3 assertions, 0 differences"]))
        self.assertEqual(compared(row(41, "x > 0"), row(50, "y >= 0"), row(9, "gone", "c10/Old.h")), (1, [
            f"changed\t{file}\tkernel\ty >= 0\t→ y > 0", "came\tc10/Other.h\t60\tkernel\tz > 0", "went\tc10/Old.h\t9\tkernel\tgone",
            f"moved\t{file}\t41 → 42\tkernel\tx > 0", "3 assertions, 4 differences"]))

    def test_a_list_that_is_none(self):
        self.put(library([entry(cubin(arguments() + call()))]))
        path = os.path.join(self.torch, "list.tsv")
        self.assertIn("list.tsv", self.refused(self.torch, "--compare", path))
        for text in b"device\tfile\n", b"\t" * 8 + b"\n", b"\xff\xfe\n":
            with open(path, "wb") as file:
                file.write(text)
            self.assertIn("list.tsv", self.refused(self.torch, "--compare", path))


def changed(data, chance):
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        position = chance.randrange(len(data))
        data[position:position + chance.choice((1, 4, 8))] = chance.choice((b"\0", b"\xff", bytes([chance.randrange(256)]))) * chance.choice((1, 4, 8))
    return bytes(data)


if __name__ == "__main__":
    unittest.main()
