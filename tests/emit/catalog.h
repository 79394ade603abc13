#pragma once

#include <gtest/gtest.h>

#include "harness/program/schema.h"

/// Operators as LibTorch 2.11 has them, for tests of the emitter.
namespace minrepro {

inline OpCatalog emit_catalog() {
  struct Row {
    const char* schema;
    bool has_function;
    bool has_method;
  };
  static constexpr Row kRows[] = {
      {"aten::_foreach_add.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]", true, false},
      {"aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool "
       "non_blocking=False, MemoryFormat? memory_format=None) -> Tensor", true, false},
      {"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", true, true},
      {"aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)", true, false},
      {"aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", true, true},
      {"aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? "
       "device=None, bool? pin_memory=None) -> Tensor", true, false},
      {"aten::cat(Tensor[] tensors, int dim=0) -> Tensor", true, false},
      {"aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", true, true},
      {"aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool "
       "transposed, SymInt[] output_padding, SymInt groups) -> Tensor", true, false},
      {"aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)", false, true},
      {"aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float "
       "label_smoothing=0.) -> Tensor", true, false},
      {"aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", true, true},
      {"aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> "
       "Tensor", true, false},
      {"aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool "
       "sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)", true, false},
      {"aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
       "pin_memory=None) -> Tensor", true, false},
      {"aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", true, true},
      {"aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", true, true},
      {"aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)", true, true},
      {"aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", true, true},
      {"aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool "
       "bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)", true, false},
      {"aten::masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)", false, true},
      {"aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", true, true},
      {"aten::random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)", false, true},
      {"aten::mm(Tensor self, Tensor mat2) -> Tensor", true, true},
      {"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", true, true},
      {"aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> "
       "Tensor", true, false},
      {"aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor", true, true},
      {"aten::neg(Tensor self) -> Tensor", true, true},
      {"aten::neg_(Tensor(a!) self) -> Tensor(a!)", true, true},
      {"aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, "
       "Tensor total_weight)", true, false},
      {"aten::normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor", true, false},
      {"aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", true, false},
      {"aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", true, true},
      {"aten::scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)", false, true},
      {"aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int "
       "axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor", true, false},
      {"aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", true, true},
      {"aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]", true, true},
      {"aten::stack(Tensor[] tensors, int dim=0) -> Tensor", true, false},
      {"aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", true, true},
      {"aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? "
       "memory_format=None) -> Tensor(a)", false, true},
      {"aten::to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor", false, true},
      {"aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)", true, true},
      {"aten::topk.values(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True, *, Tensor(a!) values, Tensor(b!) "
       "indices) -> (Tensor(a!) values, Tensor(b!) indices)", true, false},
      {"aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", true, true},
      {"aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", true, false},
      {"aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
       "Tensor", true, false},
      {"aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
       "MemoryFormat? memory_format=None) -> Tensor", true, false},
      {"my_ops::gather_rows(Tensor table, Tensor rows, float scale=1.) -> Tensor", false, false},
      {"my_ops::window.out(Tensor x, int[2] sizes, str[] names, float[] weights, bool[] flags, str mode, Tensor?[] other, Device on) "
       "-> (Tensor, Tensor[])", false, false},
  };
  OpCatalog catalog;
  for (const Row& row : kRows) {
    Result<Schema> schema = parse_schema(row.schema);
    EXPECT_TRUE(schema.ok()) << row.schema;
    if (!schema.ok()) continue;
    schema->has_function = row.has_function;
    schema->has_method = row.has_method;
    catalog.add(*schema);
  }
  return catalog;
}

}  // namespace minrepro
