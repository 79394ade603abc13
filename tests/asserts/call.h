#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/asserts/evaluate.h"

/// Calls that tests write down: FakeCall().tensor("self", sizes({3, 4})).tensor("index", int64s({0, 3})).integer("dim", 1)
namespace minrepro::testing {

/// A tensor and the memory it lies in.
struct Data {
  TensorView view;
  std::shared_ptr<std::vector<std::byte>> memory;
};

inline std::vector<int64_t> contiguous(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d > 1; --d) strides[d - 2] = strides[d - 1] * std::max<int64_t>(1, sizes[d - 1]);
  return strides;
}

/// A tensor without data.
inline Data sizes(std::vector<int64_t> sizes, DType dtype = DType::kFloat32) {
  Data data;
  data.view = {dtype, sizes, contiguous(sizes), nullptr};
  return data;
}

/// `values` are memory, in elements; `strides` default to contiguous ones.
inline Data reals(DType dtype, const std::vector<double>& values, std::vector<int64_t> sizes, std::vector<int64_t> strides = {}) {
  Data data;
  data.memory = std::make_shared<std::vector<std::byte>>(std::max<std::size_t>(1, values.size()) * static_cast<std::size_t>(size_of(dtype)));
  for (std::size_t i = 0; i < values.size(); ++i) write_real(dtype, values[i], data.memory->data() + i * static_cast<std::size_t>(size_of(dtype)));
  if (strides.empty()) strides = contiguous(sizes);
  data.view = {dtype, std::move(sizes), std::move(strides), data.memory->data()};
  return data;
}

inline Data integers(DType dtype, const std::vector<int64_t>& values, std::vector<int64_t> sizes, std::vector<int64_t> strides = {}) {
  Data data = reals(dtype, std::vector<double>(values.size()), std::move(sizes), std::move(strides));
  for (std::size_t i = 0; i < values.size(); ++i)
    write_integer(dtype, values[i], data.memory->data() + i * static_cast<std::size_t>(size_of(dtype)));
  return data;
}

inline Data int64s(const std::vector<int64_t>& values) { return integers(DType::kInt64, values, {static_cast<int64_t>(values.size())}); }
inline Data floats(const std::vector<double>& values) { return reals(DType::kFloat32, values, {static_cast<int64_t>(values.size())}); }

class FakeCall : public CallView {
 public:
  FakeCall tensor(const std::string& name, Data data) && { return tensors_[name] = std::move(data), std::move(*this); }
  FakeCall list(const std::string& name, std::vector<std::optional<Data>> data) && { return lists_[name] = std::move(data), std::move(*this); }
  FakeCall integer(const std::string& name, int64_t value) && { return integers_[name] = value, std::move(*this); }
  FakeCall integers(const std::string& name, std::vector<int64_t> values) && { return integer_lists_[name] = std::move(values), std::move(*this); }

  FakeCall text(const std::string& name, std::string value) && { return texts_[name] = std::move(value), std::move(*this); }

  std::optional<TensorView> tensor(std::string_view argument) const override {
    const auto found = tensors_.find(std::string(argument));
    return found == tensors_.end() ? std::nullopt : std::optional(found->second.view);
  }
  std::vector<std::optional<TensorView>> tensors(std::string_view argument) const override {
    std::vector<std::optional<TensorView>> views;
    const auto found = lists_.find(std::string(argument));
    if (found != lists_.end())
      for (const auto& data : found->second) views.push_back(data ? std::optional(data->view) : std::nullopt);
    return views;
  }
  std::optional<int64_t> integer(std::string_view argument) const override {
    const auto found = integers_.find(std::string(argument));
    return found == integers_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<int64_t> integers(std::string_view argument) const override {
    const auto found = integer_lists_.find(std::string(argument));
    return found == integer_lists_.end() ? std::vector<int64_t>() : found->second;
  }
  std::optional<std::string> text(std::string_view argument) const override {
    const auto found = texts_.find(std::string(argument));
    return found == texts_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, Data> tensors_;
  std::map<std::string, std::vector<std::optional<Data>>> lists_;
  std::map<std::string, int64_t> integers_;
  std::map<std::string, std::vector<int64_t>> integer_lists_;
  std::map<std::string, std::string> texts_;
};

}  // namespace minrepro::testing
