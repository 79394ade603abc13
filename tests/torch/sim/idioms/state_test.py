"""Where tensors are said to be, and what of them is written and read back: default devices, texts, checkpoints, pickles, storages, random numbers."""
import copy
import io
import os
import pickle
import tempfile
import unittest
import warnings

import torch
import torch.nn as nn

from cuda_case import CudaTest

warnings.filterwarnings("ignore", message="TypedStorage is deprecated")


class WhereItIs(CudaTest):
    def test_device_of_a_tensor(self):
        x = torch.ones(2, device="cuda")
        self.assertEqual(x.device, torch.device("cuda:0"))
        self.assertEqual((x.device.type, x.device.index, x.get_device(), str(x.device)), ("cuda", 0, 0, "cuda:0"))
        self.assertEqual(hash(x.device), hash(torch.device("cuda", 0)))
        self.assertTrue(x.is_cuda and not x.is_cpu and not x.is_meta and not x.is_sparse)
        self.assertEqual(x.to("cpu").device, torch.device("cpu"))
        self.assertTrue(nn.Parameter(x).is_cuda)
        self.assertEqual(torch.get_device(x) if hasattr(torch, "get_device") else 0, 0)
        self.assertIs(torch.get_device_module("cuda"), torch.cuda)
        self.assertIs(torch.get_device_module(), torch.cuda)
        self.assertEqual(torch.accelerator.current_accelerator(), torch.device("cuda"))

    def test_texts(self):
        x = torch.ones(1, device="cuda")
        self.assertEqual(repr(x), "tensor([1.], device='cuda:0')")
        self.assertEqual(repr(x.requires_grad_()), "tensor([1.], device='cuda:0', requires_grad=True)")
        self.assertIn("device='cuda:0'", repr(nn.Parameter(x.detach())))
        self.assertIn("device='cuda:0'", repr(torch.eye(2).to_sparse().cuda()))
        self.assertIn("device='cuda:0'", repr(torch.eye(2).to_sparse_csr().cuda()))
        self.assertEqual(f"{x.detach()[0]:.2f}", "1.00")
        self.assertEqual(x.type(), "torch.cuda.FloatTensor")
        self.assertEqual(torch.eye(2).to_sparse().cuda().type(), "torch.cuda.sparse.FloatTensor")
        self.assertNotIn("sim", repr(torch.arange(2000, device="cuda")) + repr(x.untyped_storage()) + repr(torch.Generator("cuda").device))

    def test_default_device(self):
        self.assertEqual(torch.get_default_device(), torch.device("cpu"))
        torch.set_default_device("cuda")
        try:
            self.assertEqual(torch.get_default_device(), torch.device("cuda:0"))
            self.assert_cuda(torch.ones(2), torch.tensor([1]), nn.Linear(2, 2).weight, torch.arange(3), torch.as_tensor([1]), torch.randn(2).new_zeros(1))
            with torch.device("cpu"):
                self.assertFalse(torch.ones(2).is_cuda)
            self.assertFalse(torch.ones(2, device="cpu").is_cuda)
        finally:
            torch.set_default_device(None)
        self.assertFalse(torch.ones(2).is_cuda)

    def test_default_tensor_type(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.set_default_tensor_type(torch.cuda.DoubleTensor)
            try:
                self.assert_cuda(made := torch.ones(2))
                self.assertEqual(made.dtype, torch.double)
            finally:
                torch.set_default_tensor_type(torch.FloatTensor)
        self.assertEqual((torch.ones(2).dtype, torch.ones(2).is_cuda), (torch.float32, False))

    def test_legacy_types(self):
        x = torch.cuda.LongTensor([1, 2])
        self.assertIsInstance(x, torch.cuda.LongTensor)
        self.assertNotIsInstance(x, torch.cuda.FloatTensor)
        self.assertNotIsInstance(x.cpu(), torch.cuda.LongTensor)
        self.assert_cuda(x, torch.cuda.FloatTensor(2, 3), x.type(torch.cuda.FloatTensor), x.type("torch.cuda.HalfTensor"), x.float())
        self.assertFalse(x.type(torch.FloatTensor).is_cuda)

    def test_storages(self):
        x = torch.arange(4.0).cuda()
        for storage in (x.untyped_storage(), x.storage(), x.cpu().untyped_storage().cuda(), x.cpu().storage().cuda(), torch.UntypedStorage(16, device="cuda"),
                        torch.cuda.FloatStorage(4), copy.deepcopy(x.untyped_storage())):
            self.assertTrue(storage.is_cuda)
            self.assertEqual(storage.device, torch.device("cuda:0"))
            self.assertEqual(storage.get_device(), 0)
            self.assertFalse(storage.cpu().is_cuda)
        self.assertEqual(x.untyped_storage().cpu().tolist(), x.cpu().untyped_storage().tolist())
        self.assert_same(torch.empty(0, device="cuda").set_(x.untyped_storage()), x.cpu())
        self.assertEqual(x.storage().tolist(), [0, 1, 2, 3])


class Files(CudaTest):
    def test_map_location(self):
        state = {"x": torch.arange(3.0).cuda(), "y": torch.ones(2), "view": torch.arange(6).cuda().view(2, 3)[1]}
        for new_format in (True, False):
            file = io.BytesIO()
            torch.save(state, file, _use_new_zipfile_serialization=new_format)
            self.assertNotIn(b"sim:0", file.getvalue())
            for location, on_cuda in ((None, (True, False)), ("cuda", (True, True)), ("cuda:0", (True, True)), (torch.device("cuda"), (True, True)), ("cpu", (False, False)),
                                      (lambda storage, where: storage, (False, False)), (lambda storage, where: storage.cuda(0), (True, True)), ({"cuda:0": "cpu"}, (False, False))):
                file.seek(0)
                loaded = torch.load(file, map_location=location)
                self.assertEqual((loaded["x"].is_cuda, loaded["y"].is_cuda), on_cuda)
                torch.testing.assert_close(loaded["x"].cpu(), state["x"].cpu())
                self.assertEqual(loaded["view"].tolist(), [3, 4, 5])

    def test_a_checkpoint_of_another_device_is_refused_as_on_cuda(self):
        file = io.BytesIO()
        torch.save(torch.ones(1, device="cuda"), file)
        file.seek(0)
        with self.assertRaisesRegex(RuntimeError, "Attempting to deserialize object on CUDA device 1"):
            torch.load(file, map_location="cuda:1")

    def test_training_state(self):
        model = nn.Linear(3, 2).cuda()
        optimizer = torch.optim.Adam(model.parameters())
        model(torch.ones(1, 3, device="cuda")).sum().backward()
        optimizer.step()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state.pt")
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.cuda.get_rng_state()}, path)
            loaded = torch.load(path, map_location="cuda")
            mapped = torch.load(path, mmap=True, map_location="cpu")
        other = nn.Linear(3, 2).cuda()
        other.load_state_dict(loaded["model"])
        optimizer.load_state_dict(loaded["optimizer"])
        torch.cuda.set_rng_state(loaded["rng"].cpu())
        self.assert_same(other.weight.detach(), model.weight.detach().cpu())
        self.assert_same(model.weight.detach(), mapped["model"]["weight"])

    def test_whole_modules(self):
        file = io.BytesIO()
        torch.save(nn.Linear(2, 2).cuda(), file)
        file.seek(0)
        self.assert_cuda(torch.load(file, weights_only=False).weight)

    def test_pickle_and_copy(self):
        x = torch.arange(6.0).view(2, 3).cuda()
        for y in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x), x.clone()):
            self.assert_same(y, x.cpu())
        self.assertEqual(pickle.loads(pickle.dumps(x.device)), x.device)
        self.assertIs(pickle.loads(pickle.dumps(torch.zeros)), torch.zeros)
        copied, row = copy.deepcopy([x, x[0]])
        row.fill_(9)
        self.assertEqual(copied[0].tolist(), [9, 9, 9])
        self.assertEqual(copy.deepcopy(nn.Parameter(x)).device, x.device)
        self.assertEqual(x.cpu().numpy().tolist(), x.tolist())
        with self.assertRaisesRegex(TypeError, "can't convert cuda:0 device type tensor to numpy"):
            x.numpy()


class RandomNumbers(CudaTest):
    def draws(self):
        return torch.cat([torch.rand(3, device="cuda"), torch.randn(3, device="cuda"), torch.ones(50, device="cuda").bernoulli_(0.5),
                          torch.randperm(5, device="cuda").float(), nn.functional.dropout(torch.ones(9, device="cuda")), torch.empty(3, device="cuda").exponential_(),
                          torch.multinomial(torch.ones(4, device="cuda"), 2).float()]).cpu()

    def test_seeds_repeat(self):
        for seed in (torch.manual_seed, torch.cuda.manual_seed, torch.cuda.manual_seed_all):
            seed(7)
            first = self.draws()
            self.assertFalse(torch.equal(first, self.draws()))
            seed(7)
            self.assertTrue(torch.equal(first, self.draws()))

    def test_states(self):
        for get, put in ((torch.cuda.get_rng_state, torch.cuda.set_rng_state), (torch.cuda.get_rng_state_all, torch.cuda.set_rng_state_all)):
            state = get()
            first = self.draws()
            put(state)
            self.assertTrue(torch.equal(first, self.draws()))
        state = torch.cuda.get_rng_state("cuda:0")
        torch.cuda.set_rng_state(state, torch.device("cuda", 0))
        first = torch.rand(2, device="cuda")
        torch.cuda.set_rng_state(state)
        with torch.random.fork_rng(devices=[0]), torch.random.fork_rng():
            torch.rand(5, device="cuda")
        self.assertTrue(torch.equal(first, torch.rand(2, device="cuda")))
        torch.cuda.seed()
        self.assertEqual(torch.cuda.initial_seed(), torch.cuda.default_generators[0].initial_seed())

    def test_generators(self):
        generator = torch.Generator(device="cuda").manual_seed(3)
        self.assertEqual(generator.device, torch.device("cuda:0"))
        self.assertIsInstance(generator, torch.Generator)
        self.assertIsInstance(torch.default_generator, torch.Generator)
        first = torch.randn(4, device="cuda", generator=generator)
        state = generator.get_state()
        second = torch.rand(4, device="cuda", generator=generator)
        generator.set_state(state)
        self.assertTrue(torch.equal(second, torch.rand(4, device="cuda", generator=generator)))
        self.assertTrue(torch.equal(first, torch.empty(4, device="cuda").normal_(generator=generator.manual_seed(3))))
        for draw in (lambda g: torch.rand(2, device="cuda", generator=g), lambda g: torch.ones(2, device="cuda").bernoulli_(generator=g),
                     lambda g: torch.multinomial(torch.ones(3, device="cuda"), 2, generator=g)):
            with self.assertRaisesRegex(RuntimeError, "Expected a 'cuda' device type for generator but found 'cpu'"):
                draw(torch.Generator())
        with self.assertRaisesRegex(RuntimeError, "Expected a 'cpu' device type for generator"):
            torch.rand(2, generator=generator)


if __name__ == "__main__":
    unittest.main()
