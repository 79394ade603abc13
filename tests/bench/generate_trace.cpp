// Writes a trace of N calls on random earlier tensors with one bad gather in the middle: generate_trace N FOLDER
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "harness/base/files.h"
#include "harness/program/dtype.h"
#include "harness/trace/record_buffer.h"
#include "harness/trace/run_info.h"
#include "harness/trace/trace_writer.h"

namespace {
using namespace minrepro;
using trace_format::RecordType;
using trace_format::ValueTag;

constexpr int64_t kRows = 64, kColumns = 48;
constexpr uint8_t kSimDevice = 20;                      // c10::DeviceType::PrivateUse1

/// Every tensor has a storage of its own, numbered like the tensor; number 1 is the index, 2 and up are floats.
void put_tensor(RecordBuffer& out, uint64_t number, DType dtype, const std::vector<int64_t>& data = {}) {
  out.tag(ValueTag::kTensor);
  out.byte(trace_format::kIsContiguous | trace_format::kHasStorage | (data.empty() ? 0 : trace_format::kHasData));
  out.byte(static_cast<uint8_t>(dtype));
  out.byte(kSimDevice);
  out.varint(1);
  out.varint(2);
  out.varint(kRows);
  out.varint(kColumns);
  out.varint(number);
  out.varint(number);
  if (data.empty()) return;
  out.varint(2 * data.size() * sizeof(int64_t) + 1);
  out.raw(data.data(), data.size() * sizeof(int64_t));
}

class Generator {
 public:
  explicit Generator(CallsFile& file) : file_(file) {}

  void run(int64_t calls) {
    record_.start(RecordType::kInfo);
    record_.string("2.11.0");
    record_.byte(1);
    append();
    for (const char* schema : {"aten::neg(Tensor self) -> Tensor", "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                               "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor"}) {
      record_.start(RecordType::kOp);
      record_.string(schema);
      append();
    }
    record_.start(RecordType::kSource);
    record_.string("train.py");
    record_.varint(37);
    record_.string("step");
    record_.string("out = features.gather(1, index)");
    append();
    for (int64_t i = 0; i < calls; ++i) {
      if (i == calls / 2) gather();
      else if (random_() % 2) unary();
      else binary();
    }
  }

 private:
  void append() {
    if (const Status status = file_.append(record_.bytes()); !status) {
      fmt::print(stderr, "generate_trace: {}\n", status.error().message);
      std::exit(2);
    }
  }
  uint64_t earlier() { return 2 + random_() % made_; }
  void call(int op, int count) {
    record_.start(RecordType::kCall);
    record_.varint(static_cast<uint64_t>(op));
    record_.varint(0);
    record_.varint(1);
    record_.byte(0);
    record_.varint(static_cast<uint64_t>(count));
  }
  void finished() {
    append();
    record_.start(RecordType::kFinished);
    record_.varint(0);
    record_.varint(1);
    put_tensor(record_, 2 + made_++, DType::kFloat32);
    append();
  }
  void unary() {
    call(0, 1);
    put_tensor(record_, earlier(), DType::kFloat32);
    finished();
  }
  void binary() {
    call(1, 3);
    put_tensor(record_, earlier(), DType::kFloat32);
    put_tensor(record_, earlier(), DType::kFloat32);
    record_.tag(ValueTag::kInt);
    record_.signed_varint(1);
    finished();
  }
  void gather() {
    std::vector<int64_t> index(kRows * kColumns, 3);
    index[1000] = kColumns + 9;
    const uint64_t self = earlier();
    const auto arguments = [&] {
      put_tensor(record_, self, DType::kFloat32);
      record_.tag(ValueTag::kInt);
      record_.signed_varint(1);
      put_tensor(record_, 1, DType::kInt64, index);
      record_.tag(ValueTag::kFalse);
    };
    call(2, 4);
    arguments();
    append();
    record_.start(RecordType::kViolation);
    record_.varint(0);
    record_.varint(2);
    record_.string("scatter_gather.index");
    record_.string("index holds 57");
    record_.string("ScatterGatherKernel.cu");
    record_.string("idx_dim >= 0 && idx_dim < index_size");
    record_.varint(4);
    arguments();
    finished();
  }

  CallsFile& file_;
  RecordBuffer record_;
  std::mt19937_64 random_{1};
  uint64_t made_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  const int64_t calls = argc == 3 ? std::atoll(argv[1]) : 0;
  if (calls < 1) {
    fmt::print(stderr, "usage: generate_trace N FOLDER\n");
    return 2;
  }
  const std::string folder = argv[2];
  std::filesystem::remove_all(folder);
  if (const Status made = make_folder(folder); !made) {
    fmt::print(stderr, "generate_trace: {}\n", made.error().message);
    return 2;
  }
  auto file = CallsFile::create(folder, 1);
  if (!file) {
    fmt::print(stderr, "generate_trace: {}\n", file.error().message);
    return 2;
  }
  Generator(**file).run(calls);
  (*file)->close();
  RunInfo info;
  info.command = {"generate_trace"};
  info.pid = 1;
  info.wait_status = 1 << 8;                             // exit status 1
  info.simulated = true;
  if (const Status written = write_run_info(folder, info); !written) {
    fmt::print(stderr, "generate_trace: {}\n", written.error().message);
    return 2;
  }
}
