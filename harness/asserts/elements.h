#pragma once

#include <vector>

#include "harness/asserts/evaluate.h"

namespace minrepro::asserts {

/// Calls `visit(index, pointer)` for every element in row-major order until it returns false. A view without data or elements has none.
template <typename Visit>
void for_each_element(const TensorView& view, const Visit& visit) {
  for (int64_t size : view.sizes)
    if (size == 0) return;
  if (view.data == nullptr) return;
  const auto* first = static_cast<const char*>(view.data);
  const int64_t bytes = size_of(view.dtype);
  std::vector<int64_t> index(view.sizes.size(), 0);
  int64_t offset = 0;
  while (visit(index, first + offset * bytes)) {
    std::size_t d = index.size();
    while (d > 0) {
      --d;
      offset += view.strides[d];
      if (++index[d] < view.sizes[d]) break;
      offset -= view.strides[d] * view.sizes[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (index.empty()) return;
  }
}

}  // namespace minrepro::asserts
