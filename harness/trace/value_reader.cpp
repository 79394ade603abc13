#include "harness/trace/value_reader.h"

#include <fmt/core.h>

#include <array>
#include <complex>
#include <limits>

#include "harness/base/printable.h"
#include "harness/program/enumerations.h"
#include "harness/trace/narrow.h"

namespace minrepro {
namespace {

using trace_format::ValueTag;

/// c10::DeviceType's order; gaps are types that no tensor of today has.
constexpr std::array<std::string_view, 21> kDevices = {"cpu", "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",  "fpga", "maia", "xla", "vulkan",
                                                       "metal", "xpu", "mps", "meta", "hpu", "ve", "lazy", "ipu", "mtia", "sim"};
constexpr int kCuda = 1;

std::string_view without_optional(std::string_view type) {
  while (type.ends_with('?')) type.remove_suffix(1);
  return type;
}

std::string_view element_of(std::string_view type) {
  type = without_optional(type);
  return type.ends_with(']') ? type.substr(0, type.rfind('[')) : type;
}

Value integer(int64_t number, std::string_view type) {
  type = without_optional(type);
  if (type == "ScalarType") {
    if (const auto dtype = dtype_of_number(number)) return DTypeValue{*dtype};
    return OpaqueValue{fmt::format("ScalarType {}", number)};
  }
  if (type == "Layout") {
    if (const auto name = layout_name(number)) return LayoutValue{std::string(*name)};
    return OpaqueValue{fmt::format("Layout {}", number)};
  }
  if (type == "MemoryFormat") {
    if (const auto name = memory_format_name(number)) return MemoryFormatValue{std::string(*name)};
    return OpaqueValue{fmt::format("MemoryFormat {}", number)};
  }
  return number;
}

/// Bytes of all elements; nullopt on overflow.
std::optional<uint64_t> bytes_of(const TensorMeta& meta) {
  const int64_t count = numel(meta.sizes);
  if (count == std::numeric_limits<int64_t>::max()) return std::nullopt;
  int64_t bytes = 0;
  if (__builtin_mul_overflow(count, size_of(meta.dtype), &bytes)) return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

/// Whether the strides of a dense tensor of these sizes fit into 64 bits, zero sizes counted as one (as LibTorch does).
bool has_dense_strides(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes)
    if (__builtin_mul_overflow(product, size > 0 ? size : 1, &product)) return false;
  return true;
}

}  // namespace

std::string device_name(int type, int64_t index, bool is_tensor) {
  if (type < 0 || type >= static_cast<int>(kDevices.size())) return fmt::format("device{}", type);
  const std::string name(kDevices[static_cast<std::size_t>(type)]);
  if (index > 0 || (index == 0 && type == kCuda)) return fmt::format("{}:{}", name, index);
  return is_tensor && type == kCuda ? name + ":0" : name;
}

Value ValueReader::value(ByteReader& in, std::string_view type, int depth) {
  const auto tag = static_cast<ValueTag>(in.byte());
  if (in.failed()) return None{};
  switch (tag) {
    case ValueTag::kNone: return None{};
    case ValueTag::kTensor: return TensorRef{tensor(in, depth)};
    case ValueTag::kInt: return integer(in.signed_varint(), type);
    case ValueTag::kDouble: return in.number();
    case ValueTag::kComplex: {
      const double real = in.number();
      return std::complex<double>(real, in.number());
    }
    case ValueTag::kTrue: return true;
    case ValueTag::kFalse: return false;
    case ValueTag::kString: return std::string(in.string());
    case ValueTag::kDevice: {
      const int device = in.byte();
      return DeviceValue{device_name(device, static_cast<int64_t>(in.varint_below(1 << 16, "device index")) - 1, false)};
    }
    case ValueTag::kGenerator: return GeneratorValue{in.varint()};
    case ValueTag::kOpaque: return OpaqueValue{printable(in.string())};
    case ValueTag::kList: return list(in, type, depth, false);
    case ValueTag::kInts: return list(in, type, depth, true);
  }
  in.fail(fmt::format("no kind of value has the number {}", static_cast<int>(tag)));
  return None{};
}

Value ValueReader::list(ByteReader& in, std::string_view type, int depth, bool integers) {
  if (depth >= trace_format::kMaxListDepth) {
    in.fail("lists are nested too deep");
    return None{};
  }
  const std::size_t count = in.count("list items");
  const std::string_view element = element_of(type);
  Value::List items;
  items.reserve(count < 64 ? count : 64);  // a count is cheap to write into a file, a Value is not small
  for (std::size_t i = 0; i < count && !in.failed(); ++i)
    items.push_back(integers ? integer(in.signed_varint(), element) : value(in, element, depth + 1));
  return items;
}

int ValueReader::tensor(ByteReader& in, int depth) {
  const uint8_t flags = in.byte();
  TraceTensor tensor;
  const int dtype = static_cast<int8_t>(in.byte());
  const auto known = dtype_of_number(dtype);
  if (!known) in.fail(fmt::format("no element type has the number {}", dtype));
  else tensor.meta.dtype = *known;
  const int device = in.byte();
  tensor.device = device_name(device, static_cast<int64_t>(in.varint_below(1 << 16, "device index")) - 1, true);
  const std::size_t dims = in.count("dimensions");
  tensor.meta.sizes.reserve(dims);
  for (std::size_t i = 0; i < dims && !in.failed(); ++i) {
    const uint64_t size = in.varint();
    if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) in.fail("a negative size");
    tensor.meta.sizes.push_back(static_cast<int64_t>(size));
  }
  if (flags & trace_format::kIsNotStrided) {
    // no strides
  } else if (flags & trace_format::kIsContiguous) {
    if (!in.failed() && !has_dense_strides(tensor.meta.sizes)) in.fail("sizes that no memory can hold");
    if (!in.failed()) tensor.meta.strides = contiguous_strides(tensor.meta.sizes);
  } else {
    tensor.meta.strides.reserve(dims);
    for (std::size_t i = 0; i < dims && !in.failed(); ++i) tensor.meta.strides.push_back(in.signed_varint());
  }
  tensor.requires_grad = flags & trace_format::kRequiresGrad;
  tensor.is_view = flags & trace_format::kIsView;
  tensor.is_wrapped_number = flags & trace_format::kIsWrappedNumber;
  if (flags & trace_format::kHasStorage) tensor.storage = in.varint();
  tensor.tensor = in.varint();
  if (flags & trace_format::kHasOffset) tensor.storage_offset = static_cast<int64_t>(in.varint());
  if (flags & trace_format::kIsNotStrided) {
    const int layout = in.byte();
    if (const auto name = layout_name(layout)) tensor.meta.layout = std::string(*name);
    else in.fail(fmt::format("no layout has the number {}", layout));
    const std::size_t components = in.count("components");
    if (depth >= trace_format::kMaxListDepth && components > 0) in.fail("tensors are nested too deep");
    for (std::size_t i = 0; i < components && !in.failed(); ++i) tensor.components.push_back(this->tensor(in, depth + 1));
  }
  if (flags & trace_format::kHasData) tensor.data = data(in, &tensor.meta);
  if (in.failed()) return -1;
  if (trace_.tensors.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    in.fail("more tensors than can be numbered");
    return -1;
  }
  trace_.tensors.push_back(std::move(tensor));
  return static_cast<int>(trace_.tensors.size()) - 1;
}

CapturedBytes ValueReader::blob(ByteReader& in) { return data(in, nullptr); }

CapturedBytes ValueReader::data(ByteReader& in, const TensorMeta* meta) {
  const uint64_t head = in.varint();
  const uint64_t size = head >> 1;
  if (in.failed()) return {};
  int narrowing = 1;
  if (meta != nullptr) {
    const std::optional<uint64_t> wanted = bytes_of(*meta);
    const std::optional<int> found = wanted ? narrowing_of(meta->dtype, static_cast<uint64_t>(numel(meta->sizes)), size) : std::nullopt;
    if (!found) {
      in.fail(fmt::format("{} captured bytes, the shape asks for {}", size, wanted ? std::to_string(*wanted) : "more than can be counted"));
      return {};
    }
    narrowing = *found;
  }
  if (head & 1) {
    const std::string_view bytes = in.raw(size);
    return in.failed() ? CapturedBytes() : widened(bytes, meta, narrowing);
  }
  const uint64_t offset = in.varint();
  if (in.failed()) return {};
  if (offset > data_.size() || size > data_.size() - offset) {
    in.fail(fmt::format("captured data at {} … {}, but the data file ends at {}", offset, offset + size, data_.size()));
    return {};
  }
  if (offset < forgotten_) return {};
  const DType dtype = meta != nullptr ? meta->dtype : DType::kUInt8;
  Blob& blob = blobs_[offset];
  if (!blob.bytes) {
    // The recorder never writes overlapping places; a file that has them could ask for its size squared.
    if (size > data_.size() - blob_bytes_) {
      in.fail("captured data overlaps");
      return {};
    }
    blob_bytes_ += size;
    wide_bytes_ += size * static_cast<uint64_t>(narrowing);
    if (wide_bytes_ > most_bytes_) {
      in.fail(fmt::format("{} bytes of captured data, far more than the data file has on the disk", wide_bytes_));
      return {};
    }
    blob = {widened(data_.substr(offset, size), meta, narrowing), dtype, narrowing};
  }
  // A file made by hand may give one place two meanings; what the recorder writes never does.
  if (blob.dtype != dtype || blob.narrowing != narrowing || blob.bytes->size() != (meta != nullptr ? *bytes_of(*meta) : size)) {
    in.fail(fmt::format("captured data at {} is used in two ways", offset));
    return {};
  }
  return blob.bytes;
}

CapturedBytes ValueReader::widened(std::string_view stored, const TensorMeta* meta, int narrowing) const {
  const auto* begin = reinterpret_cast<const std::byte*>(stored.data());
  if (narrowing == 1) return std::make_shared<const std::vector<std::byte>>(begin, begin + stored.size());
  std::vector<std::byte> wide(*bytes_of(*meta));
  widen(meta->dtype, stored.data(), static_cast<std::size_t>(numel(meta->sizes)), narrowing, reinterpret_cast<char*>(wide.data()));
  return wide;
}

}  // namespace minrepro
