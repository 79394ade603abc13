#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/program/dtype.h"

/// The op graph: leaf tensors and calls. It is the only thing that reducers, the emitter and the oracle exchange.
namespace minrepro {

struct None {
  bool operator==(const None&) const = default;
};
/// A tensor of the program (a leaf, or the result of an earlier call), by id.
struct TensorRef {
  int id = -1;
  bool operator==(const TensorRef&) const = default;
};
/// "cpu", "sim", "cuda", "meta", with an index where one was given ("cuda:1").
struct DeviceValue {
  std::string name;
  bool operator==(const DeviceValue&) const = default;
};
struct DTypeValue {
  DType dtype = DType::kFloat32;
  bool operator==(const DTypeValue&) const = default;
};
/// "strided", "sparse", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "mkldnn", "jagged".
struct LayoutValue {
  std::string name;
  bool operator==(const LayoutValue&) const = default;
};
/// "contiguous_format", "preserve_format", "channels_last", "channels_last_3d".
struct MemoryFormatValue {
  std::string name;
  bool operator==(const MemoryFormatValue&) const = default;
};
/// A generator of the program's own, seeded so.
struct GeneratorValue {
  uint64_t seed = 0;
  bool operator==(const GeneratorValue&) const = default;
};
/// Something that a program cannot hold (a TorchBind object, a future): `type` says what it was. A program with one is not runnable.
struct OpaqueValue {
  std::string type;
  bool operator==(const OpaqueValue&) const = default;
};

/// One argument of a call. Integers, doubles, bools and strings are exact.
struct Value {
  using List = std::vector<Value>;
  std::variant<None, TensorRef, int64_t, double, std::complex<double>, bool, std::string, DeviceValue, DTypeValue, LayoutValue,
               MemoryFormatValue, GeneratorValue, OpaqueValue, List>
      data;

  Value() = default;
  template <typename T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Value>)
  Value(T&& value) : data(std::forward<T>(value)) {}       // NOLINT(google-explicit-constructor): a literal is a Value

  template <typename T>
  bool is() const { return std::holds_alternative<T>(data); }
  template <typename T>
  const T* get_if() const { return std::get_if<T>(&data); }
  template <typename T>
  T* get_if() { return std::get_if<T>(&data); }
  bool operator==(const Value&) const = default;
};

/// Shape and type of a tensor. `strides` are in elements and as long as `sizes` for layout "strided", empty for the others.
struct TensorMeta {
  DType dtype = DType::kFloat32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  std::string layout = "strided";

  bool operator==(const TensorMeta&) const = default;
};

/// Product of the sizes (1 for a scalar tensor). Saturates at INT64_MAX instead of overflowing.
int64_t numel(const std::vector<int64_t>& sizes);
std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& sizes);
bool is_contiguous(const TensorMeta& meta);

/// Elements in logical (row-major) order, `numel * size_of(dtype)` bytes, whatever the leaf's strides. Shared: programs are copied a lot.
struct ValuesFill {
  std::shared_ptr<const std::vector<std::byte>> bytes;
  bool operator==(const ValuesFill& other) const;
};
/// Every element the same. Integral dtypes round towards zero.
struct ConstantFill {
  double value = 0;
  bool operator==(const ConstantFill&) const = default;
};
/// Floats: normal (0, 1); integers: uniform in [0, 2); bools: fair. From a CPU generator seeded with `seed`.
struct RandomFill {
  uint64_t seed = 0;
  bool operator==(const RandomFill&) const = default;
};
using Fill = std::variant<ValuesFill, ConstantFill, RandomFill>;

/// A leaf that shares its storage with another leaf: as_strided(base, sizes, strides, offset).
struct ViewOf {
  int base = -1;
  int64_t storage_offset = 0;
  bool operator==(const ViewOf&) const = default;
};

/// A tensor that no call of the program makes.
struct Leaf {
  int id = -1;
  TensorMeta meta;
  std::optional<std::string> device;      ///< where it differs from the program's device ("cpu" for a host tensor in a sim program)
  Fill fill = ConstantFill{};             ///< ignored for views and for leaves that are built of components
  std::optional<ViewOf> view;
  std::vector<int> components;            ///< leaf ids that a sparse leaf is built of: COO {indices, values}; CSR/BSR {crow, col, values}; CSC/BSC {ccol, row, values}
  bool is_wrapped_number = false;         ///< a Python number that was turned into a tensor: it takes no part in type promotion

  bool operator==(const Leaf&) const = default;
};

struct Argument {
  std::string name;                       ///< as in the operator's schema
  Value value;
  bool operator==(const Argument&) const = default;
};

/// Where the user's code made a call.
struct SourceLine {
  std::string file;
  int64_t line = 0;
  std::string function;
  std::string text;                       ///< the source text of that line where it could be read, trimmed
  bool operator==(const SourceLine&) const = default;
};

struct Call {
  std::string op;                         ///< "aten::gather", "aten::scatter_.value": the overload follows a dot
  std::vector<Argument> args;             ///< by schema name; an argument left out takes its default
  std::vector<int> results;               ///< ids of all result tensors, lists flattened; -1 for an undefined one
  std::optional<uint64_t> seed;           ///< the default generator is seeded so right before this call
  std::optional<SourceLine> source;

  bool operator==(const Call&) const = default;
  const Value* find(const std::string& name) const;
  Value* find(const std::string& name);
};

struct Program {
  std::string device = "sim";             ///< what leaves and device arguments mean: "sim", "cpu", "cuda"
  std::string torch_version;              ///< of the run it came from; empty when unknown
  std::vector<Leaf> leaves;
  std::vector<Call> calls;

  bool operator==(const Program&) const = default;
  const Leaf* find_leaf(int id) const;
  Leaf* find_leaf(int id);
};

/// Ids of all tensors that a value mentions, in order, with repetitions.
std::vector<int> tensors_in(const Value& value);
/// Calls `visit(int& id)` for each tensor reference in the value.
template <typename Visit>
void for_each_tensor(Value& value, Visit&& visit) {
  if (auto* ref = value.get_if<TensorRef>()) visit(ref->id);
  if (auto* list = value.get_if<Value::List>())
    for (Value& item : *list) for_each_tensor(item, visit);
}

/// One more than the largest tensor id in use.
int next_id(const Program& program);
/// Elements of all leaves that hold data of their own (views and assembled leaves count nothing).
int64_t count_elements(const Program& program);
/// Removes leaves that nothing uses any more.
void drop_unused_leaves(Program& program);

}  // namespace minrepro
