#include "harness/emit/leaf_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>

#include "harness/emit/literals.h"

namespace minrepro::emit {
namespace {

/// Elements of storage that the leaf reaches, from offset 0.
int64_t extent_of(const TensorMeta& meta) {
  if (numel(meta.sizes) == 0) return 0;
  int64_t last = 0;
  for (std::size_t i = 0; i < meta.sizes.size(); ++i) last += (meta.sizes[i] - 1) * meta.strides[i];
  return last + 1;
}

/// Elements in logical order → the storage under the strides, gaps zero. Where strides overlap, the last one stays.
std::vector<std::byte> storage_of(const TensorMeta& meta, const std::vector<std::byte>& elements) {
  const auto item = static_cast<std::size_t>(size_of(meta.dtype));
  std::vector<std::byte> storage(static_cast<std::size_t>(extent_of(meta)) * item);
  std::vector<int64_t> position(meta.sizes.size(), 0);
  int64_t offset = 0;
  for (std::size_t i = 0; i < elements.size() / item; ++i) {
    std::memcpy(storage.data() + static_cast<std::size_t>(offset) * item, elements.data() + i * item, item);
    for (std::size_t d = meta.sizes.size(); d-- > 0;) {
      offset += meta.strides[d];
      if (++position[d] < meta.sizes[d]) break;
      offset -= position[d] * meta.strides[d];
      position[d] = 0;
    }
  }
  return storage;
}

void choose_shape(const TensorMeta& meta, LeafPlan& plan) {
  plan.sizes = meta.sizes;
  if (meta.strides == contiguous_strides(meta.sizes)) return;
  if (is_contiguous(meta) && numel(meta.sizes) > 0) {
    plan.shaping = Shaping::kStrided;
    return;
  }
  const std::size_t rank = meta.sizes.size();
  std::vector<int64_t> by_stride(rank);
  std::iota(by_stride.begin(), by_stride.end(), 0);
  auto at = [](const std::vector<int64_t>& v, int64_t i) { return v[static_cast<std::size_t>(i)]; };
  std::stable_sort(by_stride.begin(), by_stride.end(), [&](int64_t a, int64_t b) { return at(meta.strides, a) > at(meta.strides, b); });
  std::vector<int64_t> sizes(rank), strides(rank), order(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    sizes[i] = at(meta.sizes, by_stride[i]);
    strides[i] = at(meta.strides, by_stride[i]);
    order[static_cast<std::size_t>(by_stride[i])] = static_cast<int64_t>(i);
  }
  if (strides == contiguous_strides(sizes)) {
    plan.shaping = rank == 2 ? Shaping::kTranspose : Shaping::kPermute;
    plan.sizes = std::move(sizes);
    plan.order = std::move(order);
    return;
  }
  std::vector<int64_t> unexpanded = meta.sizes;
  for (std::size_t i = 0; i < rank; ++i)
    if (meta.strides[i] == 0) unexpanded[i] = 1;
  std::vector<int64_t> expected = contiguous_strides(unexpanded);
  for (std::size_t i = 0; i < rank; ++i)
    if (meta.strides[i] == 0) expected[i] = 0;
  if (expected == meta.strides && numel(meta.sizes) > 0) {
    plan.shaping = Shaping::kExpand;
    plan.sizes = std::move(unexpanded);
    return;
  }
  plan.shaping = Shaping::kStrided;
}

bool all_the_same(const std::vector<std::byte>& elements, std::size_t item) {
  return elements.size() > item && std::memcmp(elements.data(), elements.data() + item, elements.size() - item) == 0;
}

std::string boolean(bool value, Language language) {
  if (language == Language::kPython) return value ? "True" : "False";
  return value ? "true" : "false";
}

std::string complex_text(DType dtype, const std::byte* element, Language language) {
  const DType part = dtype == DType::kComplex32 ? DType::kFloat16 : dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  const std::string real = real_literal_for(part, element);
  const std::string imaginary = real_literal_for(part, element + size_of(part));
  return fmt::format("{}({}, {})", language == Language::kPython ? "complex" : "c10::complex<double>", real, imaginary);
}

}  // namespace

LeafPlan plan_leaf(const Leaf& leaf) {
  LeafPlan plan;
  choose_shape(leaf.meta, plan);
  if (plan.shaping == Shaping::kStrided) plan.sizes = {extent_of(leaf.meta)};
  const auto item = static_cast<std::size_t>(size_of(leaf.meta.dtype));
  if (const auto* constant = std::get_if<ConstantFill>(&leaf.fill)) {
    plan.constant.resize(item);
    write_real(leaf.meta.dtype, constant->value, plan.constant.data());
  } else if (const auto* values = std::get_if<ValuesFill>(&leaf.fill); values != nullptr && values->bytes != nullptr) {
    plan.elements = is_contiguous(leaf.meta) ? *values->bytes : storage_of(leaf.meta, *values->bytes);
    if (plan.elements.size() > 8 * item && all_the_same(plan.elements, item)) {
      plan.constant.assign(plan.elements.begin(), plan.elements.begin() + static_cast<std::ptrdiff_t>(item));
      plan.elements.clear();
    }
  }
  return plan;
}

std::vector<std::string> element_texts(DType dtype, const std::vector<std::byte>& elements, Language language) {
  const auto item = static_cast<std::size_t>(size_of(dtype));
  std::vector<std::string> texts;
  bool wide = false;
  for (std::size_t at = 0; at + item <= elements.size(); at += item) {
    const std::byte* element = elements.data() + at;
    if (dtype == DType::kBool) {
      texts.push_back(boolean(read_integer(dtype, element) != 0, language));
    } else if (dtype == DType::kUInt64 && language == Language::kPython) {
      texts.push_back(fmt::format("{}", static_cast<uint64_t>(read_integer(dtype, element))));
    } else if (is_integral(dtype)) {
      const int64_t value = read_integer(dtype, element);
      // The least int32 is a long to C++: it negates a literal that no int holds.
      wide = wide || value > std::numeric_limits<int32_t>::max() || value <= std::numeric_limits<int32_t>::min();
      texts.push_back(language == Language::kCpp ? cpp_integer(value) : fmt::format("{}", value));
    } else if (is_complex(dtype)) {
      texts.push_back(complex_text(dtype, element, language));
    } else {
      texts.push_back(real_literal_for(dtype, element));
    }
  }
  // A braced list has to be of one type.
  if (wide && language == Language::kCpp)
    for (std::string& text : texts)
      if (!text.ends_with(')')) text += 'L';
  return texts;
}

DType plain_of(DType dtype) {
  switch (dtype) {
    case DType::kQInt8: return DType::kInt8;
    case DType::kQUInt8: return DType::kUInt8;
    case DType::kQInt32: return DType::kInt32;
    default: return dtype;
  }
}

bool is_quantized(DType dtype) { return plain_of(dtype) != dtype; }

DType carrier_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E5M2: case DType::kFloat8E4M3FN: case DType::kFloat8E5M2FNUZ: case DType::kFloat8E4M3FNUZ: return DType::kFloat32;
    case DType::kUInt16: case DType::kUInt32: case DType::kUInt64: return DType::kInt64;
    case DType::kComplex32: return DType::kComplex64;
    default: return plain_of(dtype);
  }
}

}  // namespace minrepro::emit
