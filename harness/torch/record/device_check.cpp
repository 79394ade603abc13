#include "harness/torch/record/device_check.h"

#include <dlfcn.h>

#include <c10/core/Stream.h>

#include "harness/torch/check/call_view.h"

namespace minrepro {
namespace {

/// The CUDA side's functions, found by name: the recorder is not linked with it, and runs where there is none.
struct Cuda {
  c10::Stream (*current_stream)(c10::DeviceIndex) = nullptr;     // c10::cuda::getCurrentCUDAStream; CUDAStream is a Stream
  void* (*raw_stream)(const c10::Stream*) = nullptr;             // c10::cuda::CUDAStream::stream() const
  int (*is_capturing)(void*, int*) = nullptr;                    // cudaStreamIsCapturing

  static const Cuda* find() {
    static const Cuda cuda = [] {
      Cuda c;
      c.current_stream = reinterpret_cast<decltype(c.current_stream)>(dlsym(RTLD_DEFAULT, "_ZN3c104cuda20getCurrentCUDAStreamEa"));
      c.raw_stream = reinterpret_cast<decltype(c.raw_stream)>(dlsym(RTLD_DEFAULT, "_ZNK3c104cuda10CUDAStream6streamEv"));
      c.is_capturing = reinterpret_cast<decltype(c.is_capturing)>(dlsym(RTLD_DEFAULT, "cudaStreamIsCapturing"));
      return c;
    }();
    return cuda.current_stream != nullptr && cuda.raw_stream != nullptr && cuda.is_capturing != nullptr ? &cuda : nullptr;
  }
};

/// Also true when it cannot be told.
bool may_be_capturing() {
  const Cuda* cuda = Cuda::find();
  if (cuda == nullptr) return true;
  const c10::Stream stream = cuda->current_stream(-1);
  int status = 1;
  return cuda->is_capturing(cuda->raw_stream(&stream), &status) != 0 || status != 0;
}

}  // namespace

bool is_on_cuda(c10::ArrayRef<const c10::IValue> arguments) {
  for (const c10::IValue& value : arguments) {
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().is_cuda()) return true;
    if (value.isList())
      for (const c10::IValue& item : value.toListRef())
        if (item.isTensor() && item.toTensor().defined() && item.toTensor().is_cuda()) return true;
  }
  return false;
}

std::optional<Violation> find_cuda_violation(const OpEntry& op, c10::ArrayRef<const c10::IValue> arguments) {
  if (may_be_capturing()) return std::nullopt;
  try {
    // The view wants them as the dispatcher's stack holds them.
    const c10::ArrayRef<c10::IValue> boxed(arguments.data(), arguments.size());
    return check(op.name, SchemaCallView(op.schema, boxed));
  } catch (...) {
    return std::nullopt;                  // a device that has failed already
  }
}

}  // namespace minrepro
