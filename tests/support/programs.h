#pragma once

#include <gtest/gtest.h>

#include <string>

#include "harness/program/schema.h"
#include "harness/program/text_form.h"

/// Programs and catalogs as text, for tests.
namespace minrepro {

inline Program program_of(const std::string& leaves, const std::string& calls) {
  Result<Program> program = program_from_text("{\"minrepro_program\": 1, \"leaves\": [" + leaves + "], \"calls\": [" + calls + "]}");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
  return program.ok() ? *program : Program{};
}

inline OpCatalog test_catalog() {
  OpCatalog catalog;
  for (const char* text : {
           "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
           "aten::neg(Tensor self) -> Tensor",
           "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
           "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
           "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
           "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
           "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
           "aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)",
           "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> Tensor",
           "aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor",
           "aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
           "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
       }) {
    Result<Schema> schema = parse_schema(text);
    EXPECT_TRUE(schema.ok()) << text;
    if (schema.ok()) catalog.add(*schema);
  }
  return catalog;
}

}  // namespace minrepro
