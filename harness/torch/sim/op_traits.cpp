#include "harness/torch/sim/op_traits.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "harness/torch/check/call_view.h"
#include "harness/torch/sim/sparse_structure.h"

namespace minrepro::sim {
namespace {

/// Operators whose CUDA kernels copy something to the host, by rule name. Source: aten/src/ATen/native/cuda and native/sparse/cuda of 2.6.0.
constexpr std::array kWaiting = std::to_array<std::string_view>({
    "aten::nonzero", "aten::masked_select", "aten::_unique", "aten::_unique2", "aten::unique_dim", "aten::unique_consecutive",
    "aten::unique_dim_consecutive", "aten::equal", "aten::bincount", "aten::repeat_interleave", "aten::_coalesce", "aten::_to_sparse",
    "aten::linalg_eig", "aten::_linalg_eigvals", "aten::linalg_lstsq", "aten::_local_scalar_dense", "aten::embedding_renorm",
});

/// Operators of which some arguments are CPU tensors by design.
constexpr std::array kTakingCpuTensors = std::to_array<std::string_view>({
    "aten::index", "aten::_index_put_impl", "aten::_unsafe_index", "aten::_ctc_loss", "aten::_ctc_loss_backward", "aten::_pack_padded_sequence",
    "aten::_pack_padded_sequence_backward", "aten::tensor_split", "aten::set_", "aten::copy", "aten::_copy_from", "aten::_copy_from_and_resize",
});

/// Operators with a kernel of CUDA's and without the check that all tensors are on its device, which others have in front of their kernels. (And all that
/// go over their tensors element by element or start with "_foreach_".) Source: device_check in 2.11's native_functions.yaml.
constexpr std::array kTakingCpuNumbers = std::to_array<std::string_view>({
    "aten::_use_cudnn_ctc_loss", "aten::_cudnn_ctc_loss", "aten::_cudnn_rnn", "aten::bernoulli", "aten::binary_cross_entropy", "aten::copysign",
    "aten::cumprod", "aten::cumsum", "aten::fill", "aten::floor_divide", "aten::_validate_compressed_sparse_indices", "aten::gelu", "aten::hardshrink",
    "aten::threshold", "aten::_nested_from_padded", "aten::_nested_view_from_buffer", "aten::where", "aten::binomial", "aten::rsub", "aten::heaviside",
    "aten::is_set_to", "aten::masked_fill", "aten::index_fill", "aten::eq", "aten::__irshift__", "aten::ne", "aten::ge", "aten::le", "aten::gt", "aten::lt",
    "aten::renorm", "aten::mse_loss", "aten::smooth_l1_loss", "aten::elu", "aten::hardsigmoid", "aten::hardtanh", "aten::hardswish", "aten::leaky_relu",
    "aten::log_sigmoid_forward", "aten::softplus", "aten::softshrink", "aten::_scaled_dot_product_flash_attention_backward",
    "aten::_scaled_dot_product_efficient_attention_backward", "aten::_flash_attention_backward", "aten::_efficient_attention_backward",
    "aten::_fused_adam", "aten::_fused_adamw", "aten::_fused_sgd", "aten::_fused_adagrad",
});

/// Operators whose CPU kernels go from matrix to matrix of `out` by the stride of its third dimension from the end alone.
/// Source: apply_triu_tril in aten/src/ATen/native/TriangularOps.cpp, which lu_unpack calls.
constexpr std::array kWritingPastStridedOuts = std::to_array<std::string_view>({
    "aten::tril.out", "aten::triu.out", "aten::lu_unpack.out", "aten::linalg_lu.out",
});

/// Operators whose CUDA kernels take half and bfloat16, their CPU kernels not. Source: dtypes and dtypesIfCUDA of 2.11's OpInfo.
constexpr std::array kWithoutHalfOnCpu = std::to_array<std::string_view>({
    "aten::avg_pool3d", "aten::avg_pool3d_backward", "aten::multi_margin_loss", "aten::multi_margin_loss_backward", "aten::multilabel_margin_loss_forward",
    "aten::multilabel_margin_loss_backward", "aten::rrelu_with_noise", "aten::trace", "aten::_upsample_bilinear2d_aa",
    "aten::_upsample_bilinear2d_aa_backward", "aten::_upsample_bicubic2d_aa", "aten::_upsample_bicubic2d_aa_backward",
});

/// The same for integers. In double, a value on the edge of two bins may be counted in the lower one, which CUDA's integer arithmetic does not do.
constexpr std::array kWithoutIntegersOnCpu = std::to_array<std::string_view>({"aten::histc"});

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool writes_an_argument(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(),
                     [](const c10::Argument& argument) { return argument.alias_info() != nullptr && argument.alias_info()->isWrite(); });
}

bool knows_cuda() {
  static const bool knows = c10::Dispatcher::singleton().findSchemaOrThrow("aten::nonzero", "").hasKernelForDispatchKey(c10::DispatchKey::CUDA);
  return knows;
}

/// Where LibTorch has CUDA's kernels, it tells which operators have none. Those of libraries are let through, for their CPU kernels have to do, and
/// so are those that PyTorch's host code takes in place of CUDA's because the simulated device is none it knows.
bool lacks_cuda_kernel(const c10::OperatorHandle& op) {
  return knows_cuda() && op.schema().name().starts_with("aten::") && op.schema().name().find("_for_cpu") == std::string::npos &&
         op.hasKernelForDispatchKey(c10::DispatchKey::CPU) &&
         !op.hasComputedKernelForDispatchKey(c10::DispatchKey::CUDA);
}

std::unique_ptr<OpTraits> find_traits(const c10::OperatorHandle& op) {
  auto traits = std::make_unique<OpTraits>();
  const c10::FunctionSchema& schema = op.schema();
  traits->name = full_name_of(schema);
  traits->sparse_rules = rules_for(traits->name);
  for (const AssertRule* rule : traits->sparse_rules)
    if (!rule->of_sparse) traits->rules.push_back(rule);
  for (const AssertRule* rule : traits->rules)
    if (rule->cut != Cut::kNone) traits->cuts = rule;
  traits->as_cuda_reads = as_cuda_reads(traits->name);
  traits->writes = writes_an_argument(schema);
  const std::string family = rule_name_of(traits->name);
  traits->lacks_cuda_kernel = lacks_cuda_kernel(op);
  traits->precondition = precondition_of(family);
  traits->sparse_precondition = sparse_precondition_of(family);
  traits->waits = holds(kWaiting, family);
  traits->takes_indices = family == "aten::index" || family == "aten::_unsafe_index" || family == "aten::_index_put_impl";
  traits->takes_cpu_tensors = holds(kTakingCpuTensors, family);
  traits->lacks_half_on_cpu = holds(kWithoutHalfOnCpu, family);
  traits->lacks_integers_on_cpu = holds(kWithoutIntegersOnCpu, family);
  traits->writes_past_strided_outs = holds(kWritingPastStridedOuts, traits->name);
  traits->iterates = op.hasTag(at::Tag::pointwise) || op.hasTag(at::Tag::reduction);
  const bool has_cuda_kernel = knows_cuda() && schema.name().starts_with("aten::") && op.hasKernelForDispatchKey(c10::DispatchKey::CUDA);
  traits->takes_cpu_numbers = traits->iterates || !has_cuda_kernel || holds(kTakingCpuNumbers, family) || schema.name().starts_with("aten::_foreach_");
  if (schema.name() == "aten::convolution_overrideable") {
    traits->instead = c10::Dispatcher::singleton().findSchemaOrThrow("aten::convolution", "");
  } else if (schema.name() == "aten::convolution_backward_overrideable") {
    traits->instead = c10::Dispatcher::singleton().findSchemaOrThrow("aten::convolution_backward", "");
    traits->none_before = 3;  // bias_sizes
  }
  return traits;
}

}  // namespace

const OpTraits& traits_of(const c10::OperatorHandle& op) {
  // The schema's address names the operator for as long as it is registered; each thread remembers what it has met.
  thread_local std::unordered_map<const c10::FunctionSchema*, const OpTraits*> met;
  const c10::FunctionSchema* key = &op.schema();
  if (auto known = met.find(key); known != met.end()) return *known->second;

  static std::mutex* mutex = new std::mutex;
  static auto* all = new std::unordered_map<std::string, std::unique_ptr<OpTraits>>;
  std::lock_guard<std::mutex> lock(*mutex);
  std::unique_ptr<OpTraits>& traits = (*all)[full_name_of(*key)];
  if (!traits) traits = find_traits(op);
  met.emplace(key, traits.get());
  return *traits;
}

}  // namespace minrepro::sim
