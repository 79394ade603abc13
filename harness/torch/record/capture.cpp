#include "harness/torch/record/capture.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/record_function.h>
#include <c10/core/DeviceType.h>

#include "harness/torch/record/content_hash.h"
#include "harness/trace/narrow.h"

namespace minrepro {
namespace {

constexpr uint64_t kLargestIndex = 256 << 10;
constexpr uint64_t kLargestUnknown = 64 << 10;
constexpr uint64_t kLargestEvidence = uint64_t{256} << 20;
constexpr uint64_t kLargestInline = 64;
/// Past this size of the data file the older half goes: what happened last explains a failure.
constexpr uint64_t kLargestFile = uint64_t{2} << 30;
constexpr std::size_t kMostBlobs = 1 << 18;

bool is_host_memory(const at::Tensor& tensor) {
  return tensor.device().is_cpu() || (tensor.device().type() == c10::DeviceType::PrivateUse1 && c10::get_privateuse1_backend() == "sim");
}

bool is_plain(const at::Tensor& tensor) {
  const c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  return tensor.layout() == at::kStrided && impl->has_storage() && !impl->is_conj() && !impl->is_neg() && !tensor._is_zerotensor() &&
         !tensor.is_quantized();
}

/// Whether every element lies inside the storage. A tensor with a hand-made geometry may reach past its end, which fails in the kernel, not here.
bool is_inside_storage(const at::Tensor& tensor, uint64_t item) {
  int64_t last = tensor.storage_offset();
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    if (tensor.stride(i) < 0) return false;
    int64_t reach = 0;
    if (__builtin_mul_overflow(tensor.size(i) - 1, tensor.stride(i), &reach) || __builtin_add_overflow(last, reach, &last)) return false;
  }
  return last >= 0 && static_cast<uint64_t>(last) < tensor.storage().nbytes() / item;
}

/// Copies the elements in row-major order.
void gather(const char* data, c10::IntArrayRef sizes, c10::IntArrayRef strides, std::size_t item, char* to) {
  const std::size_t dims = sizes.size();
  if (dims == 0) {
    std::memcpy(to, data, item);
    return;
  }
  std::vector<int64_t> at(dims, 0);
  const int64_t inner = sizes[dims - 1];
  const int64_t step = strides[dims - 1] * static_cast<int64_t>(item);
  for (;;) {
    const char* row = data;
    for (std::size_t d = 0; d + 1 < dims; ++d) row += at[d] * strides[d] * static_cast<int64_t>(item);
    for (int64_t i = 0; i < inner; ++i, row += step, to += item) std::memcpy(to, row, item);
    std::size_t d = dims - 1;
    for (;;) {
      if (d == 0) return;
      --d;
      if (++at[d] < sizes[d]) break;
      at[d] = 0;
    }
  }
}

at::Tensor copied_to_host(const at::Tensor& tensor) {
  at::DisableRecordFunctionGuard unrecorded;
  at::AutoDispatchBelowAutograd below_autograd;
  return tensor.to(at::kCPU);
}

}  // namespace

uint64_t Capture::limit_for(const at::Tensor& tensor, Interest interest) const {
  if (interest == Interest::kNothing || mode_ == DataMode::kNone) return 0;
  if (interest == Interest::kEvidence || mode_ == DataMode::kAll) return kLargestEvidence;
  if (!is_host_memory(tensor)) return 0;
  if (c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/true)) return kLargestIndex;
  return interest == Interest::kUnknownContent ? kLargestUnknown : 0;
}

bool Capture::write(const at::Tensor& tensor, Interest interest, RecordBuffer& out) {
  const uint64_t limit = limit_for(tensor, interest);
  if (limit == 0 || is_full_) return false;
  const uint64_t item = tensor.dtype().itemsize();
  const auto count = static_cast<uint64_t>(tensor.numel());
  if (item == 0 || count > limit / item || !is_plain(tensor)) return false;
  const uint64_t size = count * item;
  if (size == 0) {
    out.varint(1);
    return true;
  }
  at::Tensor host = tensor;
  if (!is_host_memory(tensor)) {
    if (!tensor.device().is_cuda()) return false;
    try {
      host = copied_to_host(tensor);
    } catch (...) {
      return false;                       // a device that has failed already
    }
  }
  if (!is_inside_storage(host, item)) return false;
  const char* data = static_cast<const char*>(host.const_data_ptr());
  if (data == nullptr) return false;
  if (!host.is_contiguous()) {
    gathered_.resize(size);
    gather(data, host.sizes(), host.strides(), item, gathered_.data());
    data = gathered_.data();
  }
  const auto dtype = static_cast<DType>(host.scalar_type());
  const int narrowing = best_narrowing(dtype, data, count);
  if (narrowing == 1) return write_bytes({data, size}, dtype, count, out);
  narrowed_.resize(narrowed_size(dtype, count, narrowing));
  narrow(dtype, data, count, narrowing, narrowed_.data());
  return write_bytes({narrowed_.data(), narrowed_.size()}, dtype, count, out);
}

bool Capture::write_bytes(std::string_view bytes, DType dtype, uint64_t count, RecordBuffer& out) {
  if (bytes.size() <= kLargestInline) {
    out.varint(bytes.size() * 2 + 1);
    out.raw(bytes.data(), bytes.size());
    return true;
  }
  const auto [key, check] = content_hash(bytes);
  const auto known = blobs_.find(key);
  if (known != blobs_.end() && known->second.check == check && known->second.size == bytes.size() && known->second.count == count && known->second.dtype == dtype) {
    out.varint(bytes.size() * 2);
    out.varint(known->second.offset);
    return true;
  }
  const Result<uint64_t> offset = file_.append(bytes.data(), bytes.size());
  if (!offset) {
    is_full_ = true;                      // the calls go on being recorded, without data
    complaint_ = offset.error().message;
    return false;
  }
  if (blobs_.size() >= kMostBlobs) blobs_.clear();
  blobs_[key] = {check, *offset, bytes.size(), count, dtype};
  out.varint(bytes.size() * 2);
  out.varint(*offset);
  if (file_.size() - forgotten_ > kLargestFile) forgotten_ = file_.size() - kLargestFile / 2;
  return true;
}

void Capture::drop_forgotten() {
  // Where the file system cannot make holes the file keeps growing; the trace stays right.
  (void)file_.forget_before(forgotten_).ok();
  std::erase_if(blobs_, [&](const auto& entry) { return entry.second.offset < forgotten_; });
}

}  // namespace minrepro
