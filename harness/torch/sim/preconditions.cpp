#include "harness/torch/sim/preconditions.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/asserts/bounds.h"
#include "harness/asserts/elements.h"

namespace minrepro::sim {
namespace {

using Name = std::string_view;
using Sizes = std::vector<int64_t>;
using Arguments = c10::ArrayRef<c10::IValue>;
using Complaint = std::optional<std::string>;
using asserts::count_of;

Complaint misfit(Name argument, const Sizes& sizes, Name other, const Sizes& other_sizes) {
  return fmt::format("{} is [{}], which does not fit {}, [{}]", argument, fmt::join(sizes, ", "), other, fmt::join(other_sizes, ", "));
}

/// All have to hold.
Precondition all(std::vector<Precondition> parts) {
  return [parts = std::move(parts)](const SchemaCallView& call, Arguments arguments) -> Complaint {
    for (const Precondition& part : parts)
      if (Complaint complaint = part(call, arguments)) return complaint;
    return std::nullopt;
  };
}

/// Something about the sizes of two tensors; it holds if one of them is not given.
template <typename Fits>
Precondition sizes_fit(Name argument, Name other, Fits fits) {
  return [=](const SchemaCallView& call, Arguments) -> Complaint {
    const std::optional<Sizes> sizes = call.sizes(argument);
    const std::optional<Sizes> other_sizes = call.sizes(other);
    if (!sizes || !other_sizes || fits(*sizes, *other_sizes)) return std::nullopt;
    return misfit(argument, *sizes, other, *other_sizes);
  };
}

Precondition same_sizes(Name argument, Name other) {
  return sizes_fit(argument, other, [](const Sizes& a, const Sizes& b) { return a == b; });
}

/// As many dimensions, and the same sizes but for the last `free` ones.
Precondition same_but_last(int free, Name argument, Name other) {
  return sizes_fit(argument, other, [=](const Sizes& a, const Sizes& b) {
    if (a.size() != b.size()) return false;
    const auto end = a.begin() + std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(a.size()) - free);
    return std::equal(a.begin(), end, b.begin());
  });
}

/// One element for each index into dimension `dim` of `other`.
Precondition one_for_each(int dim, Name other, std::vector<Name> arguments) {
  std::vector<Precondition> parts;
  for (Name argument : arguments) {
    parts.push_back(sizes_fit(argument, other, [=](const Sizes& a, const Sizes& b) { return dim >= static_cast<int>(b.size()) || count_of(a) == b[dim]; }));
  }
  return all(std::move(parts));
}

Precondition has_length(std::size_t length, std::vector<Name> lists) {
  return [=](const SchemaCallView& call, Arguments) -> Complaint {
    for (Name list : lists) {
      const std::size_t given = call.integers(list).size();
      if (given != length) return fmt::format("{} has {} numbers instead of {}", list, given, length);
    }
    return std::nullopt;
  };
}

/// The gradient of a pooling, padding or sampling operator over the last `spatial` dimensions. Nothing comes of an empty input.
Precondition gradient_over(int spatial) {
  return all({same_but_last(spatial, "grad_output", "self"),
              sizes_fit("grad_output", "self", [](const Sizes& grad, const Sizes& self) { return count_of(self) > 0 || count_of(grad) == 0; })});
}
Precondition gradient_over_with_indices(int spatial) { return all({gradient_over(spatial), same_sizes("indices", "grad_output")}); }

/// grad_output [N, C, …] of an input [N, C, …] and a grid [N, …, dimensions].
Precondition gradient_of_grid_sampler(int spatial) {
  return all({same_but_last(spatial, "grad_output", "input"), sizes_fit("grad_output", "grid", [=](const Sizes& a, const Sizes& b) {
                return b.size() == a.size() && std::equal(a.begin() + 2, a.end(), b.begin() + 1);
              })});
}

/// Statistics of a batch norm have one number for each channel; those that are saved for backward may be empty in evaluation.
Precondition batch_norm(std::vector<Name> statistics) { return one_for_each(1, "input", std::move(statistics)); }

Complaint batch_norm_saved(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> input = call.sizes("input");
  const bool is_needed = call.integer("train").value_or(0) != 0 || call.integer("update").value_or(0) != 0;
  for (Name saved : {"save_mean", "save_invstd", "save_var"}) {
    const std::optional<Sizes> sizes = call.sizes(saved);
    if (!input || input->size() < 2 || !sizes || (!is_needed && count_of(*sizes) == 0)) continue;
    if (count_of(*sizes) != (*input)[1]) return misfit(saved, *sizes, "input", *input);
  }
  return std::nullopt;
}

Precondition batch_norm_gradient() {
  return all({same_sizes("grad_out", "input"), batch_norm({"weight", "running_mean", "running_var"}), batch_norm_saved});
}

/// One mean and one deviation for each row of what `normalized_shape` leaves.
Complaint layer_norm_gradient(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> input = call.sizes("input");
  const std::size_t normalized = call.integers("normalized_shape").size();
  if (!input || normalized > input->size()) return std::nullopt;
  const int64_t rows = count_of(Sizes(input->begin(), input->end() - static_cast<std::ptrdiff_t>(normalized)));
  for (Name statistic : {"mean", "rstd"}) {
    const std::optional<Sizes> sizes = call.sizes(statistic);
    if (sizes && count_of(*sizes) != rows) return misfit(statistic, *sizes, "input", *input);
  }
  return std::nullopt;
}

/// grad and cdist: [..., rows of x1, rows of x2].
Precondition cdist_gradient() {
  const auto rows = [](Name x, int from_end) {
    return sizes_fit("grad", x, [=](const Sizes& grad, const Sizes& of) {
      return grad.size() >= 2 && of.size() >= 2 && grad[grad.size() - from_end] == of[of.size() - 2];
    });
  };
  return all({same_sizes("cdist", "grad"), rows("x1", 2), rows("x2", 1)});
}

/// One distance for each pair of rows of a matrix.
Complaint pdist_gradient(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> self = call.sizes("self");
  if (!self) return std::nullopt;
  if (self->size() != 2) return fmt::format("self has {} dimensions instead of 2", self->size());
  if (self->front() == 0) return std::string("self has no rows");
  const int64_t pairs = self->front() * (self->front() - 1) / 2;
  for (Name distances : {"grad", "pdist"}) {
    const std::optional<Sizes> sizes = call.sizes(distances);
    if (sizes && count_of(*sizes) != pairs) return misfit(distances, *sizes, "self", *self);
  }
  return std::nullopt;
}

/// grad_in has input_sizes, but with the number of windows at `dim`, and the size of a window at the end.
Complaint unfold_gradient(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> grad = call.sizes("grad_in");
  Sizes expected = call.integers("input_sizes");
  const int64_t rank = static_cast<int64_t>(expected.size());
  int64_t dim = call.integer("dim").value_or(0);
  const int64_t size = call.integer("size").value_or(0);
  const int64_t step = call.integer("step").value_or(0);
  if (dim < 0) dim += rank;
  if (!grad || rank == 0 || dim < 0 || dim >= rank) return std::nullopt;  // a scalar has a path of its own; the kernel checks dim
  if (step <= 0) return fmt::format("step is {}", step);
  if (size < 0 || size > expected[dim]) return fmt::format("size is {} for a dimension of {}", size, expected[dim]);
  expected[dim] = (expected[dim] - size) / step + 1;
  expected.push_back(size);
  return *grad == expected ? std::nullopt : misfit("grad_in", *grad, "the windows", expected);
}

/// The last row of the result is taken from inside of the input.
Complaint antialiasing_scales(const SchemaCallView& call, Arguments arguments) {
  const std::optional<Sizes> input = call.sizes("self");
  const Sizes output = call.integers("output_size");
  if (!input || input->size() != 4 || output.size() != 2 || call.integer("align_corners").value_or(0) != 0) return std::nullopt;
  const std::pair<Name, int> scales[] = {{"scales_h", 0}, {"scales_w", 1}};
  for (const auto& [name, axis] : scales) {
    const std::optional<std::size_t> position = call.position_of(name);
    if (!position || !arguments[*position].isDouble()) continue;
    const double scale = arguments[*position].toDouble();
    const int64_t size = (*input)[2 + axis];
    if (scale > 0 && (static_cast<double>(output[axis]) - 0.5) / scale > static_cast<double>(size)) {
      return fmt::format("{} is {}, which does not take {} to {}", name, scale, size, output[axis]);
    }
  }
  return std::nullopt;
}

/// pivots [..., min(rows, columns)] of LU_data [..., rows, columns].
Precondition pivots_of_lu() {
  const Precondition fits = sizes_fit("LU_pivots", "LU_data", [](const Sizes& pivots, const Sizes& lu) {
    if (lu.size() < 2) return true;  // the kernel says so
    Sizes expected(lu.begin(), lu.end() - 2);
    expected.push_back(std::min(lu[lu.size() - 2], lu.back()));
    return pivots == expected;
  });
  return [fits](const SchemaCallView& call, Arguments arguments) { return call.integer("unpack_pivots") == 0 ? std::nullopt : fits(call, arguments); };
}

/// The elements of an integer tensor in row-major order; empty if it is not given or holds no integers.
std::vector<int64_t> integers_in(const SchemaCallView& call, Name argument) {
  std::vector<int64_t> integers;
  const std::optional<TensorView> view = call.tensor(argument);
  if (!view || (view->dtype != DType::kInt32 && view->dtype != DType::kInt64)) return integers;
  asserts::for_each_element(*view, [&](const std::vector<int64_t>&, const char* at) {
    integers.push_back(read_integer(view->dtype, at));
    return true;
  });
  return integers;
}

/// A negative pivot marks a block of two rows: it comes twice.
Complaint paired_pivots(const SchemaCallView& call, Arguments) {
  const std::vector<int64_t> pivots = integers_in(call, "pivots");
  if (pivots.empty()) return std::nullopt;
  const std::size_t length = static_cast<std::size_t>(call.sizes("pivots")->back());
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    if (pivots[i] >= 0) continue;
    if ((i + 1) % length == 0 || pivots[i + 1] != pivots[i]) return fmt::format("pivots holds {} at {} without a second one beside it", pivots[i], i);
    ++i;
  }
  return std::nullopt;
}

/// Each row of a compressed index starts where the one before ends. CUDA's kernel takes a row that ends before its start to be empty.
Complaint rows_in_order(const SchemaCallView& call, Arguments) {
  const std::vector<int64_t> rows = integers_in(call, "crow_indices");
  if (rows.empty() || std::is_sorted(rows.begin(), rows.end()) || call.sizes("crow_indices")->size() != 1) return std::nullopt;
  return std::string("crow_indices decreases");
}

/// Segments lie inside of the data, also where no rule holds (on CUDA, host code refuses such calls or leaves its memory).
Complaint segments(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> data = call.sizes("data");
  if (!data || data->empty()) return std::nullopt;
  const std::optional<int64_t> length = asserts::size_along(*data, call.integer("axis").value_or(0));
  if (!length) return std::nullopt;  // the kernel says so
  for (Name argument : {"lengths", "offsets"})
    for (int64_t value : integers_in(call, argument))
      if (value < 0 || value > *length) return fmt::format("{} holds {}, and the axis has {} elements", argument, value, *length);
  return std::nullopt;
}

/// Indices that are counted before one of them is skipped. (CUDA's kernels skip an index of -1.)
Complaint counted_indices(const SchemaCallView& call, Arguments) {
  const int64_t rows = call.integer("num_weights").value_or(0);
  for (int64_t index : integers_in(call, "indices"))
    if (index < 0 || index >= rows) return fmt::format("indices holds {}, and there are {} rows to count", index, rows);
  return std::nullopt;
}

Complaint indices_counted_if_scaled(const SchemaCallView& call, Arguments arguments) {
  return call.integer("scale_grad_by_freq").value_or(0) == 0 ? std::nullopt : counted_indices(call, arguments);
}

/// A number for each matrix's row: a single pivot has no row to stand for.
Complaint vector_of_pivots(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> pivots = call.sizes("pivots");
  return pivots && pivots->empty() ? Complaint("pivots has no dimension") : std::nullopt;
}

/// A gradient for each bag.
Complaint bag_gradient(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> grad = call.sizes("grad");
  const std::optional<Sizes> offsets = call.sizes("offsets");
  if (!grad || grad->empty() || !offsets || offsets->size() != 1) return std::nullopt;
  return grad->front() >= offsets->front() - 1 ? std::nullopt : misfit("grad", *grad, "offsets", *offsets);  // the last one may be an end
}

/// log_probs [time, batch, classes], a length of input and target for each of the batch, log_alpha [batch, time, 2 longest target + 1].
Complaint ctc_gradient(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> log_probs = call.sizes("log_probs"), log_alpha = call.sizes("log_alpha"), targets = call.sizes("targets");
  if (!log_probs || log_probs->size() != 3 || !log_alpha || !targets) return std::nullopt;
  const int64_t time = (*log_probs)[0], batch = (*log_probs)[1], classes = (*log_probs)[2];
  const auto lengths_of = [&](Name name) { return call.sizes(name) ? integers_in(call, name) : call.integers(name); };
  const std::vector<int64_t> input_lengths = lengths_of("input_lengths"), target_lengths = lengths_of("target_lengths");
  for (Name argument : {"grad", "neg_log_likelihood"})
    if (const std::optional<Sizes> sizes = call.sizes(argument); sizes && *sizes != Sizes{batch}) return misfit(argument, *sizes, "log_probs", *log_probs);
  if (static_cast<int64_t>(input_lengths.size()) != batch || static_cast<int64_t>(target_lengths.size()) != batch)
    return fmt::format("there are {} input_lengths and {} target_lengths for a batch of {}", input_lengths.size(), target_lengths.size(), batch);
  int64_t longest = 0, all = 0;
  for (int64_t length : target_lengths) {
    if (length < 0) return fmt::format("target_lengths holds {}", length);
    longest = std::max(longest, length);
    all += length;
  }
  for (int64_t length : input_lengths)
    if (length < 0 || length > time) return fmt::format("input_lengths holds {}, and log_probs has {} steps", length, time);
  const bool fits = targets->size() == 1 ? targets->front() >= all : targets->size() == 2 && targets->front() == batch && targets->back() >= longest;
  if (!fits) return fmt::format("targets is [{}], which does not hold targets of {} labels, the longest of {}", fmt::join(*targets, ", "), all, longest);
  if (log_alpha->size() != 3 || (*log_alpha)[0] != batch || (*log_alpha)[1] < time || (*log_alpha)[2] < 2 * longest + 1)
    return misfit("log_alpha", *log_alpha, "log_probs", *log_probs);
  const int64_t blank = call.integer("blank").value_or(0);
  return blank >= 0 && blank < classes ? std::nullopt : Complaint(fmt::format("blank is {}, and there are {} classes", blank, classes));
}

/// Dimensions of a transform lie inside of the tensor's.
Complaint transformed_dimensions(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> self = call.sizes("self");
  if (!self) return std::nullopt;
  const int64_t rank = static_cast<int64_t>(self->size());
  for (int64_t dim : call.integers("dim"))
    if (dim < -rank || dim >= rank) return fmt::format("dim holds {}, and self has {} dimensions", dim, rank);
  return std::nullopt;
}

/// The library under the CPU kernel does not bear infinities and NaNs. Looked at where they lie: a call of an operator would be recorded.
Complaint finite_matrix(const SchemaCallView& call, Arguments) {
  const std::optional<TensorView> matrix = call.tensor("self");
  if (!matrix) return std::nullopt;
  const bool is_double = matrix->dtype == DType::kFloat64 || matrix->dtype == DType::kComplex128;
  if (!is_double && matrix->dtype != DType::kFloat32 && matrix->dtype != DType::kComplex64) return std::nullopt;  // the kernel says so
  const DType part = is_double ? DType::kFloat64 : DType::kFloat32;
  bool finite = true;
  asserts::for_each_element(*matrix, [&](const std::vector<int64_t>&, const char* at) {
    finite = std::isfinite(read_real(part, at)) && (!is_complex(matrix->dtype) || std::isfinite(read_real(part, at + size_of(part))));
    return finite;
  });
  return finite ? std::nullopt : Complaint("the matrix holds infinities or NaNs");
}

/// One gradient, or one for each row that `target` has.
Complaint margin_gradient(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> grad = call.sizes("grad_output");
  const std::optional<Sizes> self = call.sizes("self");
  if (!grad || !self) return std::nullopt;
  const int64_t rows = self->size() < 2 ? 1 : self->front();
  const int64_t needed = call.integer("reduction").value_or(0) == 0 ? rows : 1;
  return count_of(*grad) >= std::min<int64_t>(needed, rows) ? std::nullopt : misfit("grad_output", *grad, "self", *self);
}

/// `kernel_size` is that of the weight [channels, channels, …].
Complaint kernel_of_weight(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> weight = call.sizes("weight");
  const Sizes kernel = call.integers("kernel_size");
  if (!weight || weight->size() != kernel.size() + 2 || std::equal(kernel.begin(), kernel.end(), weight->begin() + 2)) return std::nullopt;
  return misfit("kernel_size", kernel, "weight", *weight);
}

/// A norm, or a length, for each index into dimension `dim` of the weight.
Precondition weight_norm(Name weight, std::vector<Name> lengths) {
  return [=](const SchemaCallView& call, Arguments) -> Complaint {
    const std::optional<Sizes> sizes = call.sizes(weight);
    if (!sizes || sizes->empty()) return std::nullopt;
    const std::optional<int64_t> rows = asserts::size_along(*sizes, call.integer("dim").value_or(0));
    for (Name length : lengths) {
      const std::optional<Sizes> given = call.sizes(length);
      if (given && rows && count_of(*given) != *rows) return misfit(length, *given, weight, *sizes);
    }
    return std::nullopt;
  };
}

/// qkv [batch, length, 3 * heads * width] with a bias of as many elements as its last dimension.
Complaint joined_qkv(const SchemaCallView& call, Arguments) {
  const std::optional<Sizes> qkv = call.sizes("qkv"), bias = call.sizes("qkv_bias");
  if (call.integer("num_heads").value_or(1) <= 0) return std::string("num_heads is not above 0");
  if (!qkv || !bias || (qkv->size() == 3 && count_of(*bias) == qkv->back())) return std::nullopt;
  return misfit("qkv_bias", *bias, "qkv", *qkv);
}

/// A fused optimizer goes through all lists by the sizes of the first one; a list may be empty where the call has no use for it.
Precondition lists_fit(std::vector<Name> lists, std::vector<Name> lists_that_may_be_empty) {
  return [=](const SchemaCallView& call, Arguments) -> Complaint {
    const auto first = call.tensors("self");
    const auto fits = [&](Name name, bool may_be_empty) -> Complaint {
      const auto list = call.tensors(name);
      if (list.empty() && may_be_empty) return std::nullopt;
      if (list.size() != first.size()) return fmt::format("{} has {} tensors, and self has {}", name, list.size(), first.size());
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i] && first[i] && list[i]->sizes != first[i]->sizes)
          return misfit(fmt::format("{}[{}]", name, i), list[i]->sizes, fmt::format("self[{}]", i), first[i]->sizes);
      return std::nullopt;
    };
    for (Name name : lists)
      if (Complaint complaint = fits(name, false)) return complaint;
    for (Name name : lists_that_may_be_empty)
      if (Complaint complaint = fits(name, true)) return complaint;
    const std::size_t steps = call.tensors("state_steps").size();
    if (call.position_of("state_steps") && steps != first.size()) return fmt::format("state_steps has {} tensors, and self has {}", steps, first.size());
    return std::nullopt;
  };
}

/// By rule name. Source: aten/src/ATen/native (the CPU kernels) of 2.6.0, and calls that ended 2.11's CPU kernels.
std::unordered_map<std::string_view, Precondition> make_table() {
  std::unordered_map<std::string_view, Precondition> table;
  const auto add = [&table](std::vector<Name> families, Precondition precondition) {
    for (Name family : families) table.emplace(family, precondition);
  };
  add({"aten::_adaptive_avg_pool2d_backward", "aten::avg_pool2d_backward"}, gradient_over(2));
  add({"aten::_adaptive_avg_pool3d_backward", "aten::adaptive_avg_pool3d_backward", "aten::avg_pool3d_backward"}, gradient_over(3));
  add({"aten::adaptive_max_pool2d_backward", "aten::max_pool2d_with_indices_backward"}, gradient_over_with_indices(2));
  add({"aten::adaptive_max_pool3d_backward", "aten::max_pool3d_with_indices_backward"}, gradient_over_with_indices(3));
  add({"aten::fractional_max_pool2d_backward"}, all({has_length(2, {"kernel_size", "output_size"}), gradient_over_with_indices(2)}));
  add({"aten::fractional_max_pool3d_backward"}, all({has_length(3, {"kernel_size", "output_size"}), gradient_over_with_indices(3)}));
  add({"aten::fractional_max_pool2d"}, has_length(2, {"kernel_size", "output_size"}));
  add({"aten::fractional_max_pool3d"}, has_length(3, {"kernel_size", "output_size"}));
  add({"aten::reflection_pad1d", "aten::replication_pad1d"}, has_length(2, {"padding"}));
  add({"aten::reflection_pad2d", "aten::replication_pad2d"}, has_length(4, {"padding"}));
  add({"aten::reflection_pad3d", "aten::replication_pad3d"}, has_length(6, {"padding"}));
  add({"aten::reflection_pad1d_backward", "aten::replication_pad1d_backward"}, all({has_length(2, {"padding"}), gradient_over(1)}));
  add({"aten::reflection_pad2d_backward", "aten::replication_pad2d_backward"}, all({has_length(4, {"padding"}), gradient_over(2)}));
  add({"aten::reflection_pad3d_backward", "aten::replication_pad3d_backward"}, all({has_length(6, {"padding"}), gradient_over(3)}));
  add({"aten::slow_conv3d_forward"}, all({has_length(3, {"kernel_size", "stride", "padding"}), kernel_of_weight}));
  add({"aten::slow_conv_transpose2d", "aten::slow_conv_transpose3d", "aten::_slow_conv2d_forward", "aten::slow_conv_dilated2d", "aten::slow_conv_dilated3d"},
      kernel_of_weight);
  add({"aten::_weight_norm", "aten::_weight_norm_interface"}, weight_norm("v", {"g"}));
  add({"aten::_weight_norm_interface_backward"}, all({same_sizes("grad_w", "saved_v"), weight_norm("saved_v", {"saved_g", "saved_norms"})}));
  add({"aten::_transform_bias_rescale_qkv"}, joined_qkv);
  add({"aten::_fused_adam", "aten::_fused_adamw"}, lists_fit({"grads", "exp_avgs", "exp_avg_sqs"}, {"max_exp_avg_sqs"}));
  add({"aten::_fused_sgd"}, lists_fit({"grads"}, {"momentum_buffer_list"}));
  add({"aten::_fused_adagrad"}, lists_fit({"grads", "state_sums"}, {}));
  add({"aten::grid_sampler_2d_backward"}, gradient_of_grid_sampler(2));
  add({"aten::grid_sampler_3d_backward"}, gradient_of_grid_sampler(3));
  add({"aten::_upsample_bilinear2d_aa", "aten::_upsample_bicubic2d_aa"}, antialiasing_scales);
  add({"aten::_log_softmax_backward_data", "aten::_softmax_backward_data"}, same_sizes("grad_output", "output"));
  add({"aten::native_batch_norm", "aten::_native_batch_norm_legit", "aten::_native_batch_norm_legit_no_training", "aten::_batch_norm_with_update",
       "aten::_batch_norm_no_update", "aten::batch_norm_update_stats"},
      batch_norm({"weight", "bias", "running_mean", "running_var"}));
  add({"aten::native_batch_norm_backward", "aten::batch_norm_backward"}, batch_norm_gradient());
  add({"aten::native_layer_norm_backward"}, all({same_sizes("grad_out", "input"), layer_norm_gradient}));
  add({"aten::_cdist_backward"}, cdist_gradient());
  add({"aten::_pdist_backward"}, pdist_gradient);
  add({"aten::unfold_backward"}, unfold_gradient);
  add({"aten::multi_margin_loss_backward", "aten::multilabel_margin_loss_backward"}, margin_gradient);
  add({"aten::_cummax_helper", "aten::_cummin_helper"}, all({same_sizes("values", "self"), same_sizes("indices", "self")}));
  add({"aten::_cholesky_solve_helper"}, all({same_but_last(2, "self", "A"), sizes_fit("self", "A", [](const Sizes& self, const Sizes& a) {
                                               return a.size() >= 2 && a.back() == a[a.size() - 2] && self[self.size() - 2] == a.back();
                                             })}));
  add({"aten::lu_unpack"}, pivots_of_lu());
  add({"aten::linalg_ldl_solve"}, all({vector_of_pivots, paired_pivots}));
  add({"aten::_convert_indices_from_csr_to_coo"}, rows_in_order);
  add({"aten::segment_reduce"}, segments);
  add({"aten::_segment_reduce_backward"}, all({same_sizes("grad", "output"), segments}));
  add({"aten::_ctc_loss_backward"}, ctc_gradient);
  add({"aten::_embedding_bag_per_sample_weights_backward"}, bag_gradient);
  add({"aten::embedding_dense_backward"}, indices_counted_if_scaled);
  add({"aten::_embedding_bag_backward"}, all({bag_gradient, counted_indices}));
  add({"aten::_embedding_bag_dense_backward"}, counted_indices);
  add({"aten::_linalg_eigvals"}, finite_matrix);
  add({"aten::_fft_c2c", "aten::_fft_r2c", "aten::_fft_c2r"}, transformed_dimensions);
  return table;
}

}  // namespace

const Precondition* precondition_of(std::string_view family) {
  static const auto* table = new std::unordered_map(make_table());
  const auto found = table->find(family);
  return found == table->end() ? nullptr : &found->second;
}

}  // namespace minrepro::sim
