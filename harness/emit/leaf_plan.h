#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/program/program.h"

/// What is the same for a leaf in C++ and in Python: how its storage is written down, and how the leaf lies over it.
namespace minrepro::emit {

/// How a leaf's shape comes about from a contiguous tensor of `LeafPlan::sizes`.
enum class Shaping {
  kNone,
  kTranspose,        ///< .t()
  kPermute,          ///< .permute(order)
  kExpand,           ///< .expand(leaf's sizes)
  kStrided,          ///< .as_strided(leaf's sizes and strides)
};

struct LeafPlan {
  std::vector<int64_t> sizes;
  Shaping shaping = Shaping::kNone;
  std::vector<int64_t> order;             ///< for kPermute
  std::vector<std::byte> elements;        ///< of the contiguous tensor; empty for random fills and where all are `constant`
  std::vector<std::byte> constant;        ///< one element, if all are the same and that is worth saying
};

LeafPlan plan_leaf(const Leaf& leaf);

enum class Language { kCpp, kPython };

/// Each element as the language writes it. A program that is given a "nan" or "inf" defines it.
std::vector<std::string> element_texts(DType dtype, const std::vector<std::byte>& elements, Language language);

/// The type in which literals of `dtype` are written down; a conversion follows where it differs. Factories know few of the narrow types.
DType carrier_of(DType dtype);
/// int8 for qint8, …: what a quantized tensor's elements are. Others are themselves.
DType plain_of(DType dtype);
bool is_quantized(DType dtype);

}  // namespace minrepro::emit
