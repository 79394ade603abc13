#include "harness/torch/worker/leaves.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "harness/program/enumerations.h"
#include "harness/torch/worker/devices.h"

namespace minrepro {
namespace {

constexpr int64_t kOverflow = std::numeric_limits<int64_t>::max();

/// Elements of storage that a strided tensor reaches, from offset 0. kOverflow if 64 bits do not hold it.
int64_t extent_of(const TensorMeta& meta) {
  if (numel(meta.sizes) == 0) return 0;
  int64_t last = 0;
  for (std::size_t i = 0; i < meta.sizes.size(); ++i) {
    int64_t step = 0;
    if (__builtin_mul_overflow(meta.sizes[i] - 1, meta.strides[i], &step) || __builtin_add_overflow(last, step, &last)) return kOverflow;
  }
  return last == kOverflow ? kOverflow : last + 1;
}

int64_t bytes_of(const TensorMeta& meta) {
  int64_t bytes = 0;
  return __builtin_mul_overflow(extent_of(meta), size_of(meta.dtype), &bytes) ? kOverflow : bytes;
}

Status check_shape(const TensorMeta& meta) {
  for (int64_t size : meta.sizes)
    if (size < 0) return Error{fmt::format("size {} is negative", size)};
  if (meta.layout != "strided") return {};
  if (meta.strides.size() != meta.sizes.size())
    return Error{fmt::format("{} strides for {} dimensions", meta.strides.size(), meta.sizes.size())};
  for (int64_t stride : meta.strides)
    if (stride < 0) return Error{fmt::format("stride {} is negative", stride)};
  return {};
}

/// Writes elements in logical order into a storage laid out by strides. Where strides overlap, the last one stays.
void scatter_bytes(const TensorMeta& meta, const std::byte* from, std::byte* storage) {
  const auto item = static_cast<std::size_t>(size_of(meta.dtype));
  const int64_t total = numel(meta.sizes);
  if (is_contiguous(meta)) {
    std::memcpy(storage, from, static_cast<std::size_t>(total) * item);
    return;
  }
  std::vector<int64_t> position(meta.sizes.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < total; ++i) {
    std::memcpy(storage + static_cast<std::size_t>(offset) * item, from + static_cast<std::size_t>(i) * item, item);
    for (std::size_t d = meta.sizes.size(); d-- > 0;) {
      offset += meta.strides[d];
      if (++position[d] < meta.sizes[d]) break;
      offset -= position[d] * meta.strides[d];
      position[d] = 0;
    }
  }
}

void repeat_element(const std::byte* element, std::size_t item, std::byte* storage, std::size_t bytes) {
  if (bytes == 0) return;
  std::memcpy(storage, element, item);
  for (std::size_t done = item; done < bytes;) {
    const std::size_t more = std::min(done, bytes - done);
    std::memcpy(storage + done, storage, more);
    done += more;
  }
}

/// Seeded random elements in logical order, as `RandomFill` says.
at::Tensor random_elements(const TensorMeta& meta, uint64_t seed) {
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  const auto type = static_cast<c10::ScalarType>(meta.dtype);
  const int64_t total = numel(meta.sizes);
  if (is_complex(meta.dtype))
    return at::randn({total}, generator, at::TensorOptions(meta.dtype == DType::kComplex128 ? at::kComplexDouble : at::kComplexFloat)).to(type);
  if (is_floating(meta.dtype)) {
    // The narrow 8-bit floats have no generator of their own.
    const bool own = type == at::kFloat || type == at::kDouble || type == at::kHalf || type == at::kBFloat16;
    return at::randn({total}, generator, at::TensorOptions(own ? type : at::kFloat)).to(type);
  }
  const auto plain = c10::isQIntType(type) ? c10::toUnderlying(type) : type;
  return at::randint(0, 2, {total}, generator, at::TensorOptions(at::kLong)).to(plain);
}

Result<at::Tensor> make_strided(const Leaf& leaf, c10::Device device) {
  const TensorMeta& meta = leaf.meta;
  const int64_t extent = extent_of(meta);
  const auto type = static_cast<c10::ScalarType>(meta.dtype);
  const auto bytes = static_cast<std::size_t>(bytes_of(meta));
  at::Tensor flat = c10::isQIntType(type) ? at::_empty_affine_quantized({extent}, at::TensorOptions(type), 1.0, 0)
                                          : at::empty({extent}, at::TensorOptions(type));
  if (bytes > 0) {
    auto* storage = static_cast<std::byte*>(flat.mutable_data_ptr());
    if (const auto* constant = std::get_if<ConstantFill>(&leaf.fill)) {
      std::byte element[16] = {};
      write_real(meta.dtype, constant->value, element);
      repeat_element(element, static_cast<std::size_t>(size_of(meta.dtype)), storage, bytes);
    } else {
      if (!is_contiguous(meta)) std::memset(storage, 0, bytes);  // the gaps
      if (const auto* values = std::get_if<ValuesFill>(&leaf.fill)) {
        const auto wanted = static_cast<std::size_t>(numel(meta.sizes) * size_of(meta.dtype));
        if (values->bytes == nullptr || values->bytes->size() != wanted)
          return Error{fmt::format("{} bytes of values, the shape asks for {}", values->bytes ? values->bytes->size() : 0, wanted)};
        scatter_bytes(meta, values->bytes->data(), storage);
      } else {
        const at::Tensor elements = random_elements(meta, std::get<RandomFill>(leaf.fill).seed);
        scatter_bytes(meta, static_cast<const std::byte*>(elements.const_data_ptr()), storage);
      }
    }
  }
  at::Tensor tensor = flat.to(device);
  // Shaped in place, not viewed: a leaf owns its storage, as a tensor fresh from a factory does.
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(meta.sizes, meta.strides);
  return tensor;
}

Result<at::Tensor> make_assembled(const Leaf& leaf, const Tensors& tensors) {
  std::vector<at::Tensor> parts;
  for (int id : leaf.components) {
    auto found = tensors.find(id);
    if (found == tensors.end()) return Error{fmt::format("component {} is no earlier leaf", id)};
    parts.push_back(found->second);
  }
  const auto layout = layout_number(leaf.meta.layout);
  if (!layout) return Error{fmt::format("'{}' is no layout", leaf.meta.layout)};
  // "unsafe": without the check of invariants, which a crashing program may well violate.
  if (leaf.meta.layout == "sparse" && parts.size() == 2)
    return at::_sparse_coo_tensor_unsafe(parts[0], parts[1], leaf.meta.sizes, parts[1].options().layout(at::kSparse));
  if (leaf.meta.layout.starts_with("sparse_") && parts.size() == 3)
    return at::_sparse_compressed_tensor_unsafe(parts[0], parts[1], parts[2], leaf.meta.sizes,
                                                parts[2].options().layout(static_cast<c10::Layout>(*layout)));
  return Error{fmt::format("a tensor of layout {} is not built of {} components", leaf.meta.layout, parts.size())};
}

Result<at::Tensor> make_view(const Leaf& leaf, const Tensors& tensors) {
  auto base = tensors.find(leaf.view->base);
  if (base == tensors.end()) return Error{fmt::format("its base, leaf {}, comes after it or is missing", leaf.view->base)};
  if (static_cast<c10::ScalarType>(leaf.meta.dtype) != base->second.scalar_type()) return Error{"a view has its base's element type"};
  return at::as_strided(base->second, leaf.meta.sizes, leaf.meta.strides, leaf.view->storage_offset);
}

Result<at::Tensor> make_leaf(const Program& program, const Leaf& leaf, const Tensors& tensors) {
  if (Status status = check_shape(leaf.meta); !status) return status.error();
  if (!leaf.components.empty()) return make_assembled(leaf, tensors);
  if (leaf.meta.layout != "strided") return Error{fmt::format("a {} tensor needs components", leaf.meta.layout)};
  if (leaf.view) return make_view(leaf, tensors);
  const std::string& name = leaf.device.value_or(program.device);
  const auto device = Devices::resolve(name, program.device);
  if (!device) return Error{fmt::format("unknown device '{}'", name)};
  return make_strided(leaf, *device);
}

}  // namespace

int64_t bytes_of_leaves(const Program& program) {
  int64_t total = 0;
  for (const Leaf& leaf : program.leaves) {
    if (leaf.view || !leaf.components.empty() || !check_shape(leaf.meta)) continue;  // what is malformed is refused when it is made
    if (__builtin_add_overflow(total, bytes_of(leaf.meta), &total)) return kOverflow;
  }
  return total;
}

Status make_leaves(const Program& program, Tensors& tensors) {
  for (std::size_t i = 0; i < program.leaves.size(); ++i) {
    const Leaf& leaf = program.leaves[i];
    Result<at::Tensor> made = Error{""};
    try {
      made = make_leaf(program, leaf, tensors);
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const c10::Error& error) {
      if (std::strstr(error.what_without_backtrace(), "allocate memory") != nullptr) throw;
      made = Error{error.what_without_backtrace()};
    }
    if (!made) return Error{fmt::format("leaves[{}]: {}", i, made.error().message)};
    if (leaf.is_wrapped_number) {
      if (made->dim() != 0) return Error{fmt::format("leaves[{}]: a wrapped number has no dimensions", i)};
      made->unsafeGetTensorImpl()->set_wrapped_number(true);
    }
    tensors[leaf.id] = *made;
  }
  return {};
}

}  // namespace minrepro
