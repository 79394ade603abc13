#pragma once

/// The name "cuda" in calls that Python does not see: TorchScript, torch.ops, C++ extensions.
namespace minrepro::sim {

/// Operators that are asked for a tensor on cuda make it on the simulated device from now on. For processes without a GPU only: it takes the place of
/// LibTorch's own kernels.
void take_cuda_keys();

/// Makes device 0 of type cuda one that can be asked for and made current.
void register_guard_for_cuda();

}  // namespace minrepro::sim
