"""One operator of the table on the CPU and on the simulated device: forward, backward, in-place, out= and error inputs."""
import random
import sys
import warnings

import numpy
import torch
from torch.utils._pytree import tree_flatten, tree_map

import device
from device import CPU, SIM
from twins import Different, Mover, compare, normalised

KEPT_FAILURES = 40

# Operators with sample inputs without a tensor and without a device.
FACTORIES = {"arange", "linspace", "logspace"}

# Operators of which CUDA wants the tensors beside the first on the host.
HOST_ARGUMENTS = {"tensor_split"}


def seed():
    torch.default_generator.manual_seed(0)
    random.seed(0)
    numpy.random.seed(0)


def short_name(dtype):
    return str(dtype).rsplit(".", 1)[1]


def summary(sample):
    text = " ".join(sample.summary().split())
    return text if len(text) < 400 else text[:400] + "…"


class Stderr:
    """What the process prints on stderr; the rules of the simulated device speak there."""

    def __init__(self, path):
        self._file = open(path, "rb")

    def new_lines(self):
        sys.stderr.flush()
        return [line for line in self._file.read().decode(errors="replace").splitlines() if "minrepro-sim:" in line or "Assertion `" in line]


class OperatorCheck:
    def __init__(self, op, options, stderr):
        self.op = op
        self.options = options
        self.stderr = stderr
        self.counts = dict.fromkeys(("forward", "backward", "inplace", "out", "error", "asserted", "alike", "lacking", "computed"), 0)
        self.failures = []
        self.failed = 0
        self.asserted = set()

    def report(self):
        return {"counts": self.counts, "failures": self.failures, "failed": self.failed, "asserted": sorted(self.asserted)}

    def fail(self, check, kind, text, dtype=None, sample=None):
        self.failed += 1
        if len(self.failures) < KEPT_FAILURES:
            self.failures.append({"check": check, "kind": kind, "text": text[:2000], "dtype": short_name(dtype) if dtype else "",
                                  "sample": summary(sample) if sample is not None else ""})

    def run(self):
        dtypes = sorted(self.op.supported_dtypes("cpu"), key=str)
        backward_dtypes = self.op.supported_backward_dtypes("cpu")
        for dtype in dtypes:
            if self.options.dtype and short_name(dtype) != self.options.dtype:
                continue
            self.run_dtype(dtype, dtype in backward_dtypes)
        if not self.counts["computed"] and not self.failed and self.options.compared != "error":
            self.fail("samples", "nothing compared", "no sample input has a result on the CPU")
        if self.op.error_inputs_func is not None and not self.options.dtype:
            seed()
            for error_input in list(self.op.error_inputs("cpu")):
                self.run_error_input(error_input)

    def run_dtype(self, dtype, differentiable):
        seed()
        samples = list(self.op.sample_inputs("cpu", dtype, requires_grad=differentiable))
        for sample in samples[:self.options.samples]:
            self.name_device(sample)
            for check in (self.check_function, self.check_inplace, self.check_out):
                self.guarded(check, dtype, sample)

    def name_device(self, sample):
        """Operators that make a tensor from numbers make it on the CPU if their arguments name no device."""
        if self.op.name in FACTORIES and not any(isinstance(value, torch.Tensor) for value in tree_flatten((sample.input, sample.args))[0]):
            sample.kwargs = {"device": "cpu", **sample.kwargs}

    def guarded(self, check, dtype, sample):
        name = check.__name__.removeprefix("check_")
        try:
            check(sample)
        except Different as difference:
            self.fail(difference.check, difference.kind, str(difference), dtype, sample)
        except Exception as error:  # of any type, from looking at a result
            self.fail(name, "unreadable", f"{type(error).__name__}: {error}", dtype, sample)
        self.look_for_violations(name, dtype, sample)

    def look_for_violations(self, name, dtype, sample):
        said = self.stderr.new_lines()
        violation = device.violation()
        if violation:
            self.fail(name, "rule fired", f"{violation['rule']} in {violation['op']}: {violation['text']}", dtype, sample)
            device.reset()
        elif said:
            self.fail(name, "rule spoke", said[0], dtype, sample)

    def cuda_lacks_it(self, error, sample):
        """Whether the device says so, or refuses a dtype that CUDA's column of the table does not have."""
        if not isinstance(error, NotImplementedError):
            return False
        dtype = getattr(sample.input, "dtype", None)
        return "CUDA has no kernel for it" in str(error) or (dtype is not None and dtype not in self.op.supported_dtypes("cuda"))

    def on_both(self, check, function, sample, grad=False):
        """Calls `function(arguments)` on the CPU and on the device. Returns (arguments, result) of both; None if both raise the same."""
        arguments = (sample.input, tuple(sample.args), dict(sample.kwargs))
        sides = []
        for target in (CPU, SIM):
            moved = self.move(arguments, target)
            seed()
            try:
                with torch.set_grad_enabled(grad):
                    sides.append((moved, function(*moved), None))
            except Exception as error:  # of any type: both sides have to raise the same
                sides.append((moved, None, error))
        (on_cpu, cpu_result, cpu_error), (on_sim, sim_result, sim_error) = sides
        if sim_error is not None and device.violation():
            raise Different("rule fired", check, f"{sim_error}")
        if cpu_error is None and self.cuda_lacks_it(sim_error, sample):
            self.counts["lacking"] += 1
            return None
        if cpu_error is None and sim_error is not None:
            raise Different("raises", check, f"{type(sim_error).__name__}: {sim_error}")
        if cpu_error is not None and sim_error is None:
            raise Different("does not raise", check, f"the CPU raises {type(cpu_error).__name__}: {cpu_error}")
        if cpu_error is not None:
            if normalised(cpu_error) != normalised(sim_error):
                raise Different("other error", check, f"{type(sim_error).__name__}: {sim_error}\n"
                                                      f"the CPU raises {type(cpu_error).__name__}: {cpu_error}")
            self.counts["alike"] += check != "error input"
            return None
        self.counts["computed"] += 1
        return on_sim, sim_result, on_cpu, cpu_result

    def move(self, arguments, target):
        moved = Mover(target)(arguments)
        if self.op.name in HOST_ARGUMENTS and target != CPU:
            moved = (moved[0], Mover(CPU)(arguments[1]), Mover(CPU)(arguments[2]))
        return moved

    def check_function(self, sample):
        compared = self.options.compared
        both = self.on_both("forward", lambda x, args, kwargs: self.op(x, *args, **kwargs), sample, grad=True)
        self.counts["forward"] += 1
        if both is None:
            return
        on_sim, sim_result, on_cpu, cpu_result = both
        compare(sim_result, cpu_result, "forward", compared)
        if self.op.name not in HOST_ARGUMENTS:
            compare(detached(on_sim), detached(on_cpu), "forward arguments", compared)
        if compared != "shape":
            self.check_backward(sample, on_sim, sim_result, on_cpu, cpu_result)

    def check_backward(self, sample, on_sim, sim_result, on_cpu, cpu_result):
        gradients = []
        for target, arguments, result in ((CPU, on_cpu, cpu_result), (SIM, on_sim, sim_result)):
            inputs = [t for t in tree_flatten(arguments)[0] if isinstance(t, torch.Tensor) and t.requires_grad]
            outputs = [t for t in tree_flatten(sample.output_process_fn_grad(result))[0] if isinstance(t, torch.Tensor) and t.requires_grad]
            if not inputs or not outputs:
                return
            seed()
            towards = [gradient_like(output, target) for output in outputs]
            seed()
            try:
                gradients.append((torch.autograd.grad(outputs, inputs, towards, allow_unused=True), None))
            except Exception as error:  # of any type: both sides have to raise the same
                gradients.append((None, error))
        (cpu_gradients, cpu_error), (sim_gradients, sim_error) = gradients
        self.counts["backward"] += 1
        if (cpu_error is None) != (sim_error is None):
            error = cpu_error or sim_error
            kind = "raises" if sim_error is not None else "does not raise"
            raise Different(kind, "backward", f"{type(error).__name__}: {error}")
        if cpu_error is None:
            compare(sim_gradients, cpu_gradients, "backward", self.options.compared)
        elif normalised(cpu_error) != normalised(sim_error):
            raise Different("other error", "backward", f"{sim_error}\nthe CPU raises {cpu_error}")

    def check_inplace(self, sample):
        inplace = self.op.inplace_variant
        if inplace is None:
            return

        def call(x, args, kwargs):
            result = inplace(x, *args, **kwargs)
            return result, result is x

        self.counts["inplace"] += 1
        both = self.on_both("inplace", call, without_grad(sample))
        if both is None:
            return
        on_sim, sim_result, on_cpu, cpu_result = both
        compare(sim_result, cpu_result, "inplace", self.options.compared)
        compare(on_sim, on_cpu, "inplace arguments", self.options.compared)

    def check_out(self, sample):
        if not self.op.supports_out:
            return
        sample = without_grad(sample)
        seed()
        try:
            with torch.no_grad():
                x, args, kwargs = self.move((sample.input, tuple(sample.args), dict(sample.kwargs)), CPU)
                like = self.op(x, *args, **kwargs)
        except Exception:  # check_function has seen it
            return
        if not all(isinstance(t, torch.Tensor) and t.layout == torch.strided for t in tree_flatten(like)[0]):
            return
        for make in (same_shape, transposed, nothing):
            def call(x, args, kwargs):
                out = tree_map(lambda t: make(t, on(x, args, kwargs)), like)
                result = self.op(x, *args, out=out, **kwargs)
                same = [a is b for a, b in zip(tree_flatten(result)[0], tree_flatten(out)[0])]
                return result, out, same

            self.counts["out"] += 1
            both = self.on_both("out", call, sample)
            if both is not None:
                compare(both[1], both[3], "out", self.options.compared)

    def run_error_input(self, error_input):
        sample = error_input.sample_input
        self.counts["error"] += 1
        try:
            self.on_both("error input", lambda x, args, kwargs: self.op(x, *args, **kwargs), sample)
        except Different as difference:
            if device.violation():
                # The CPU kernel checks data at this place, CUDA's asserts.
                self.counts["asserted"] += 1
                self.asserted.add(device.violation()["rule"])
                device.reset()
            else:
                self.fail(difference.check, difference.kind, str(difference), None, sample)
        if device.violation():
            device.reset()
        self.stderr.new_lines()


def detached(value):
    return tree_map(lambda t: t.detach() if isinstance(t, torch.Tensor) else t, value)


def without_grad(sample):
    return sample.transform(lambda t: t.detach() if isinstance(t, torch.Tensor) else t)


def gradient_like(output, target):
    made = torch.testing.make_tensor(output.shape, dtype=output.dtype, device=CPU, low=-1, high=1)
    return made.to(target)


def on(*arguments):
    """The device that the tensors and devices of the arguments say."""
    for value in tree_flatten(arguments)[0]:
        if isinstance(value, torch.Tensor) and value.device == SIM or isinstance(value, torch.device) and value == SIM:
            return SIM
    return CPU


def same_shape(like, target):
    return torch.ones(like.shape, dtype=like.dtype, device=target)


def transposed(like, target):
    """Not contiguous; matrices follow each other without a gap, as CPU kernels of linear algebra take for granted."""
    if like.dim() < 2:
        return torch.ones(like.shape + (2,), dtype=like.dtype, device=target)[..., 0]
    return torch.ones(like.mT.shape, dtype=like.dtype, device=target).mT


def nothing(like, target):
    return torch.empty(0, dtype=like.dtype, device=target)


def check(op, options, stderr_path):
    """In a process of its own, whose stderr is the file at `stderr_path`."""
    warnings.simplefilter("ignore")
    device.reset()
    run = OperatorCheck(op, options, Stderr(stderr_path))
    try:
        run.run()
    except Exception as error:
        run.fail("samples", "raises", f"{type(error).__name__}: {error}")
    return run.report()
