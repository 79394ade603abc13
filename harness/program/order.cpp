#include "harness/program/order.h"

#include <bit>
#include <cmath>

namespace minrepro {
namespace {

/// Bits of the magnitude, and one more for a sign: 0 is 0, 1 is 2, -1 is 3, 2 is 4.
int64_t cost_of_integer(int64_t value) {
  if (value == 0) return 0;
  const uint64_t magnitude = value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  return 2 * std::bit_width(magnitude) + (value < 0 ? 1 : 0);
}

int64_t cost_of_real(double value) {
  if (std::isnan(value)) return 200;
  if (std::isinf(value)) return 201;
  if (value == std::trunc(value) && std::fabs(value) < 1e15) return cost_of_integer(static_cast<int64_t>(value)) + (std::signbit(value) && value == 0);
  if (2 * value == std::trunc(2 * value) && std::fabs(value) < 1e15) return 100 + (value < 0);
  return 150 + (value < 0);
}

struct ArgumentCost {
  int64_t operator()(int64_t v) const { return cost_of_integer(v); }
  /// As an argument (a factor, the value that a one-hot encoding writes), 1.0 is as plain as 0.0 and says more.
  int64_t operator()(double v) const { return v == 1 ? 0 : cost_of_real(v); }
  int64_t operator()(bool v) const { return v; }
  int64_t operator()(const std::complex<double>& v) const { return 1 + cost_of_real(v.real()) + cost_of_real(v.imag()); }
  int64_t operator()(const std::string& v) const { return static_cast<int64_t>(v.size()); }
  int64_t operator()(const GeneratorValue&) const { return 50; }
  int64_t operator()(const Value::List& list) const {
    int64_t cost = 3 * static_cast<int64_t>(list.size());
    for (const Value& item : list) cost += std::visit(*this, item.data);
    return cost;
  }
  template <typename Other>
  int64_t operator()(const Other&) const { return 0; }
};

int64_t cost_of_dtype(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: case DType::kInt64: case DType::kBool: return 0;
    case DType::kFloat64: case DType::kInt32: return 1;
    default: return 2;
  }
}

int64_t cost_of_values(const Leaf& leaf, const ValuesFill& fill) {
  if (!fill.bytes) return 0;
  int64_t cost = 0;
  const auto size = static_cast<std::size_t>(size_of(leaf.meta.dtype));
  for (std::size_t at = 0; at + size <= fill.bytes->size(); at += size) {
    const std::byte* data = fill.bytes->data() + at;
    cost += is_integral(leaf.meta.dtype) ? cost_of_integer(read_integer(leaf.meta.dtype, data)) : cost_of_real(read_real(leaf.meta.dtype, data));
  }
  return cost;
}

}  // namespace

Complexity complexity_of(const Program& program) {
  Complexity c;
  c.calls = static_cast<int64_t>(program.calls.size());
  c.elements = count_elements(program);
  c.leaves = static_cast<int64_t>(program.leaves.size());
  for (const Leaf& leaf : program.leaves) {
    c.dimensions += static_cast<int64_t>(leaf.meta.sizes.size());
    c.oddities += leaf.view.has_value() + leaf.device.has_value() + leaf.is_wrapped_number + !leaf.components.empty();
    c.oddities += leaf.meta.layout == "strided" && leaf.meta.strides != contiguous_strides(leaf.meta.sizes);
    c.dtypes += cost_of_dtype(leaf.meta.dtype);
    if (leaf.view || !leaf.components.empty()) continue;
    if (const auto* constant = std::get_if<ConstantFill>(&leaf.fill)) {
      c.fills += constant->value == 0 ? 0 : constant->value == 1 ? 1 : 2;
      c.values += cost_of_real(constant->value);
    } else if (const auto* values = std::get_if<ValuesFill>(&leaf.fill)) {
      c.fills += 3;
      c.values += cost_of_values(leaf, *values);
    } else {
      c.fills += 4;
    }
  }
  for (const Call& call : program.calls) {
    c.oddities += call.seed.has_value();
    c.arguments += static_cast<int64_t>(call.args.size());
    for (const Argument& arg : call.args) c.integers += std::visit(ArgumentCost{}, arg.value.data);
  }
  return c;
}

}  // namespace minrepro
