#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

/// Sparse tensors of the simulated device: the same indices and values, each as a dense tensor of the device.
namespace minrepro::sim {

using Convert = std::function<at::Tensor(const at::Tensor&)>;

/// A CPU tensor of the same layout (COO, CSR, CSC, BSR, BSC) over `to_cpu` of each part. Throws for other layouts.
at::Tensor sparse_cpu_face(const at::Tensor& tensor, const Convert& to_cpu);

/// A tensor of the device over `to_sim` of each part of a CPU tensor.
at::Tensor sparse_sim_face(const at::Tensor& result, const Convert& to_sim);

/// After an in-place kernel on the CPU face `cpu`: gives `sim` its parts.
void adopt_sparse_changes(const at::Tensor& sim, const at::Tensor& cpu, const Convert& to_sim);

}  // namespace minrepro::sim
