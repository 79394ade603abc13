"""harness/asserts/kernel_asserts.tsv against the torch that is installed.   kernel_asserts_release_test.py TORCH_FOLDER"""
import os
import re
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))
import kernel_asserts

TORCH = sys.argv.pop()
LIST = os.path.join(ROOT, "harness", "asserts", "kernel_asserts.tsv")
RELEASE = "2.11"


def text_of(*parts):
    with open(os.path.join(TORCH, *parts), encoding="utf-8") as file:
        return file.read()


def rows():
    with open(LIST, encoding="utf-8") as file:
        return [dict(zip(kernel_asserts.COLUMNS, line.rstrip("\n").split("\t"))) for line in file if not line.startswith("#")]


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        version = re.search(r"__version__ = '(.*)'", text_of("version.py"))[1]
        if not version.startswith(RELEASE + "."):
            raise unittest.SkipTest(f"skipped: the list is torch {RELEASE}'s, {TORCH} has {version}")
        if not os.path.exists(os.path.join(TORCH, "lib", "libtorch_cuda.so")):
            raise unittest.SkipTest(f"skipped: torch {version} in {TORCH} has no CUDA libraries")

    def test_device_code(self):
        self.assertEqual(kernel_asserts.differences(kernel_asserts.kept_list(LIST), kernel_asserts.assertions_of(TORCH)), [])

    def test_messages_for_assert_async(self):
        with open(os.path.join(TORCH, "lib", "libtorch_cpu.so"), "rb") as file:
            library = file.read()
        for row in rows():
            if row["kind"] != "async" or not row["expression"]:
                continue
            if row["file"].endswith(".py"):
                around = text_of("..", row["file"]).splitlines()[int(row["line"]) - 1:][:5]
                self.assertIn("_assert_async(", around[0])
                self.assertIn(row["expression"], "".join(around))
            else:
                self.assertIn(row["expression"].encode() + b"\0", library)

    def test_operators(self):
        functions = re.findall(r"^- func: (\w+)", text_of("..", "torchgen", "packaged", "ATen", "native", "native_functions.yaml"), re.MULTILINE)
        for row in rows():
            for name in row["ops"].split(","):
                if name.startswith("aten::"):
                    self.assertTrue({name[6:], name[6:] + "_"} & set(functions), name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
