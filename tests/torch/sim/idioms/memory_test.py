"""torch.cuda's memory counters: bytes of live tensors in blocks of 512, peaks, and running out."""
import gc
import unittest

import torch

from cuda_case import CudaTest

KIB, MIB = 1 << 10, 1 << 20


class Counting(CudaTest):
    def setUp(self):
        super().setUp()
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        self.before = torch.cuda.memory_allocated()

    def grown(self):
        return torch.cuda.memory_allocated() - self.before

    def test_grows_and_shrinks_with_what_lives(self):
        a = torch.empty(1, device="cuda")
        self.assertEqual(self.grown(), 512)
        b = torch.ones(128, device="cuda")
        self.assertEqual(self.grown(), 1024)
        c = torch.zeros(129, device="cuda")
        self.assertEqual(self.grown(), 2048)
        view, nothing = b.view(2, 64)[0], torch.empty(0, device="cuda")
        self.assertEqual(self.grown(), 2048)
        del b
        self.assertEqual(self.grown(), 2048)
        del view
        self.assertEqual(self.grown(), 1536)
        del a, c, nothing
        self.assertEqual(self.grown(), 0)

    def test_results_moves_and_resizing_count(self):
        x = torch.randn(KIB)
        moved = x.cuda()
        self.assertEqual(self.grown(), 4 * KIB)
        doubled = moved * 2
        self.assertEqual(self.grown(), 8 * KIB)
        doubled.add_(1)
        values, indices = moved.sort()
        self.assertEqual(self.grown(), 8 * KIB + 4 * KIB + 8 * KIB)
        del doubled, values, indices
        moved.resize_(2 * KIB)
        self.assertEqual(self.grown(), 8 * KIB)
        out = torch.empty(0, device="cuda")
        torch.add(moved, 1, out=out)
        self.assertEqual(self.grown(), 16 * KIB)
        moved.untyped_storage().resize_(0)
        self.assertEqual(self.grown(), 8 * KIB)
        del moved, out
        self.assertEqual(self.grown(), 0)

    def test_training_gives_back_what_it_took(self):
        model = torch.nn.Linear(64, 64).cuda()
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randn(8, 64, device="cuda")).sum().backward()
            optimizer.step()
        steady = self.grown()
        for _ in range(5):
            optimizer.zero_grad()
            model(torch.randn(8, 64, device="cuda")).sum().backward()
            optimizer.step()
        self.assertEqual(self.grown(), steady)
        self.assertGreaterEqual(steady, 4 * (64 * 64 + 64) * 4)
        del model, optimizer
        gc.collect()
        self.assertEqual(self.grown(), 0)

    def test_peaks(self):
        x = torch.empty(MIB, device="cuda")
        del x
        self.assertEqual(torch.cuda.max_memory_allocated(), self.before + 4 * MIB)
        self.assertGreaterEqual(torch.cuda.max_memory_reserved(), 4 * MIB)
        torch.cuda.reset_peak_memory_stats()
        self.assertEqual(torch.cuda.max_memory_allocated(), self.before)
        torch.cuda.reset_max_memory_allocated()
        torch.cuda.reset_accumulated_memory_stats()

    def test_reserved_until_the_cache_is_emptied(self):
        start = torch.cuda.memory_reserved()
        x = torch.empty(8 * MIB, dtype=torch.uint8, device="cuda")
        grown = torch.cuda.memory_reserved()
        self.assertGreaterEqual(grown, start + 8 * MIB)
        free = torch.cuda.mem_get_info()[0]
        del x
        self.assertEqual(torch.cuda.memory_reserved(), grown)
        torch.cuda.empty_cache()
        self.assertEqual(torch.cuda.memory_reserved(), start)
        self.assertEqual(torch.cuda.mem_get_info()[0], free + 8 * MIB)

    def test_reports(self):
        x = torch.empty(KIB, device="cuda")
        stats = torch.cuda.memory_stats()
        self.assertEqual(stats["allocated_bytes.all.current"], torch.cuda.memory_allocated())
        self.assertEqual(stats["reserved_bytes.all.current"], torch.cuda.memory_reserved())
        self.assertGreaterEqual(stats["allocation.all.allocated"] - stats["allocation.all.freed"], 1)
        self.assertIn("PyTorch CUDA memory summary", torch.cuda.memory_summary())
        self.assertIn("allocated_bytes", torch.cuda.memory_stats_as_nested_dict())
        self.assertEqual(torch.accelerator.memory.memory_allocated(), torch.cuda.memory_allocated())
        self.assertEqual(torch.cuda.memory.memory_allocated("cuda:0"), torch.cuda.memory_allocated(0))
        del x

    def test_sparse_tensors_count(self):
        dense = torch.eye(KIB).to_sparse().cuda()
        self.assertEqual(self.grown(), 2 * 8 * KIB + 4 * KIB)
        doubled = (dense * 2).coalesce()
        self.assertGreaterEqual(self.grown(), 2 * (2 * 8 * KIB + 4 * KIB) - 16 * KIB)
        del dense, doubled
        self.assertEqual(self.grown(), 0)

    def test_running_out(self):
        for ask in (lambda: torch.empty(1 << 50, device="cuda"), lambda: torch.zeros(1 << 20, 1 << 30, device="cuda")):
            with self.assertRaisesRegex(torch.cuda.OutOfMemoryError, r"^CUDA out of memory. Tried to allocate .* GiB. GPU 0 has a total capacity of"):
                ask()
        fraction = torch.cuda.get_per_process_memory_fraction()
        torch.cuda.set_per_process_memory_fraction(64 * MIB / torch.cuda.mem_get_info()[1])
        try:
            a = torch.empty(32 * MIB, dtype=torch.uint8, device="cuda")
            for ask in (lambda: a + a.view(-1, 1)[:3], lambda: torch.empty(64 * MIB, dtype=torch.uint8, device="cuda"), lambda: torch.cat([a, a])):
                with self.assertRaises(torch.OutOfMemoryError):
                    ask()
            del a
            torch.empty(60 * MIB, dtype=torch.uint8, device="cuda")
        finally:
            torch.cuda.set_per_process_memory_fraction(fraction)
        self.assertEqual(self.grown(), 0)
        self.assertGreaterEqual(torch.cuda.memory_stats()["num_ooms"], 4)


if __name__ == "__main__":
    unittest.main()
