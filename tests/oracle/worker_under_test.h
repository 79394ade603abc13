#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/oracle/oracle.h"
#include "harness/program/text_form.h"

namespace minrepro {

inline WorkerOptions built_worker() {
  WorkerOptions options;
  options.worker = MINREPRO_BUILD_DIR "/minrepro-worker";
  options.sim_library = MINREPRO_BUILD_DIR "/libminrepro_sim.so";
  return options;
}

inline bool exists(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0;
}

inline Program program_of(std::string_view text) {
  auto program = program_from_text(text);
  EXPECT_TRUE(program) << (program ? "" : program.error().message) << "\n" << text;
  return program ? *program : Program();
}

/// A worker for all tests of one suite: starting one takes half a second.
class WithWorker : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = Worker::start(built_worker());
    ASSERT_TRUE(started) << started.error().message;
    worker() = std::move(*started);
  }
  static void TearDownTestSuite() { worker().reset(); }
  static std::unique_ptr<Worker>& worker() {
    static std::unique_ptr<Worker> shared;
    return shared;
  }

  static std::vector<Outcome> run(const std::vector<Program>& programs, const RunLimits& limits = {}) {
    auto outcomes = worker()->run(programs, limits);
    EXPECT_TRUE(outcomes) << (outcomes ? "" : outcomes.error().message);
    return outcomes ? *outcomes : std::vector<Outcome>(programs.size());
  }
  static Outcome run(std::string_view text, const RunLimits& limits = {}) { return run(std::vector<Program>{program_of(text)}, limits).front(); }
  /// Both ways must agree for whatever does not kill its process.
  static Outcome run_here(std::string_view text) {
    RunLimits limits;
    limits.contained = false;
    return run(text, limits);
  }
};

/// A gather of `size` columns whose index is `index`.
inline std::string gather(int size, int index, std::string_view device = "cpu") {
  return R"({"minrepro_program": 1, "device": ")" + std::string(device) + R"(", "leaves": [{"id": 0, "dtype": "float32", "shape": [2, )" +
         std::to_string(size) + R"(], "constant": 1.0}, {"id": 1, "dtype": "int64", "shape": [2, 1], "values": [0, )" + std::to_string(index) +
         R"(]}], "calls": [{"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}}, "results": [2]}]})";
}

inline constexpr std::string_view kDivideMinimum = R"({"minrepro_program": 1, "device": "cpu", "leaves": [
  {"id": 0, "dtype": "int32", "shape": [1], "values": [-2147483648]}, {"id": 1, "dtype": "int32", "shape": [1], "values": [-1]}],
  "calls": [{"op": "aten::add.Tensor", "args": {"self": {"tensor": 1}, "other": {"tensor": 1}}, "results": [2]},
            {"op": "aten::div.Tensor_mode", "args": {"self": {"tensor": 0}, "other": {"tensor": 1}, "rounding_mode": "trunc"}, "results": [3]}]})";

inline constexpr std::string_view kNeverReturns = R"({"minrepro_program": 1, "device": "cpu", "leaves": [
  {"id": 0, "dtype": "float32", "shape": [4], "constant": 0}],
  "calls": [{"op": "aten::random_.from", "args": {"self": {"tensor": 0}, "from": 9223372036854775807, "to": null}, "results": [0]}]})";

inline constexpr std::string_view kCrash = R"({"minrepro_program": 1, "device": "cpu", "leaves": [
  {"id": 0, "dtype": "float64", "shape": [8], "constant": 1.0}, {"id": 1, "dtype": "int64", "shape": [3], "values": [0, 34359738368, 68719476736]}],
  "calls": [{"op": "aten::segment_reduce", "args": {"data": {"tensor": 0}, "reduce": "sum", "offsets": {"tensor": 1}, "axis": 0}, "results": [2]}]})";

}  // namespace minrepro
