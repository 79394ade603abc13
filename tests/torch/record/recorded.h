#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/files.h"
#include "harness/trace/trace.h"
#include "tests/support/command.h"

namespace minrepro {

/// A run of `minrepro record` in a folder of its own, and what it left there.
class Recorded {
 public:
  /// `options` go before the command. `shell`: what a shell does before it, such as "ulimit -f 100; ".
  Recorded(std::vector<std::string> options, std::vector<std::string> command, const std::string& shell = "")
      : folder_(std::move(*TemporaryFolder::create("minrepro-record"))) {
    std::vector<std::string> words = {MINREPRO_BUILD_DIR "/minrepro", "record", "-o", trace_folder()};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    if (!shell.empty()) {
      std::vector<std::string> by_shell = {"sh", "-c", shell + "exec \"$@\"", "sh"};
      by_shell.insert(by_shell.end(), words.begin(), words.end());
      words = std::move(by_shell);
    }
    ran_ = run_command_line(words, folder_.path());
    Result<Trace> trace = read_trace(trace_folder());
    EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().message) << "\n" << ran_.error;
    if (trace.ok()) trace_ = std::move(*trace);
  }

  const Ran& ran() const { return ran_; }
  const Trace& trace() const { return trace_; }
  const std::string& folder() const { return folder_.path(); }
  std::string trace_folder() const { return folder_.path() + "/run.trace"; }

  /// What minrepro itself said at the end, without its prefix.
  std::vector<std::string> said() const {
    constexpr std::string_view kPrefix = "minrepro: ";
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < ran_.error.size();) {
      const std::size_t end = std::min(ran_.error.find('\n', at), ran_.error.size());
      if (const std::string line = ran_.error.substr(at, end - at); line.starts_with(kPrefix)) lines.push_back(line.substr(kPrefix.size()));
      at = end + 1;
    }
    return lines;
  }

  /// The traces of all processes that recorded, each read by itself.
  std::vector<Trace> processes() const {
    namespace fs = std::filesystem;
    std::vector<Trace> traces;
    for (const auto& entry : fs::directory_iterator(trace_folder())) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("calls.")) continue;
      const TemporaryFolder alone = std::move(*TemporaryFolder::create("minrepro-process"));
      fs::copy_file(entry.path(), alone.path() + "/" + name);
      const std::string data = "data." + name.substr(6);
      if (fs::exists(trace_folder() + "/" + data)) fs::copy_file(trace_folder() + "/" + data, alone.path() + "/" + data);
      Result<Trace> trace = read_trace(alone.path());
      EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().message);
      if (trace.ok()) traces.push_back(std::move(*trace));
    }
    return traces;
  }

 private:
  TemporaryFolder folder_;
  Ran ran_;
  Trace trace_;
};

inline std::string script(const std::string& name) { return MINREPRO_SOURCE_DIR "/tests/torch/record/scripts/" + name; }
inline const std::string kProgram = MINREPRO_BUILD_DIR "/tests/recorded_program";

inline const Schema& schema_of(const Trace& trace, const TraceCall& call) { return trace.ops[static_cast<std::size_t>(call.op)]; }
inline const std::string& op_of(const Trace& trace, const TraceCall& call) { return schema_of(trace, call).name; }

inline std::string line_of(const Trace& trace, const TraceCall& call) {
  return call.source < 0 ? "" : trace.sources[static_cast<std::size_t>(call.source)].text;
}

/// The calls made on lines of the script that end with "# MARK".
inline std::vector<const TraceCall*> calls_at(const Trace& trace, const std::string& mark) {
  std::vector<const TraceCall*> found;
  for (const TraceCall& call : trace.calls)
    if (line_of(trace, call).ends_with("# " + mark)) found.push_back(&call);
  return found;
}

inline std::vector<std::string> ops_at(const Trace& trace, const std::string& mark) {
  std::vector<std::string> names;
  for (const TraceCall* call : calls_at(trace, mark)) names.push_back(op_of(trace, *call));
  return names;
}

/// The first such call; an empty one if there is none.
inline const TraceCall& call_at(const Trace& trace, const std::string& mark) {
  static const TraceCall none;
  const auto found = calls_at(trace, mark);
  EXPECT_FALSE(found.empty()) << "no call on the line marked '" << mark << "'";
  return found.empty() ? none : *found.front();
}

inline Value argument(const Trace& trace, const TraceCall& call, std::string_view name) {
  const auto& arguments = call.op < 0 ? std::vector<SchemaArgument>() : schema_of(trace, call).arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name == name) return call.args[i];
  ADD_FAILURE() << "no argument '" << name << "'";
  return None{};
}

inline const TraceTensor& tensor_of(const Trace& trace, const Value& value) {
  static const TraceTensor none;
  const auto* ref = value.get_if<TensorRef>();
  EXPECT_NE(ref, nullptr) << "not a tensor";
  return ref == nullptr ? none : trace.tensors[static_cast<std::size_t>(ref->id)];
}
inline const TraceTensor& tensor_argument(const Trace& trace, const std::string& mark, std::string_view name) {
  return tensor_of(trace, argument(trace, call_at(trace, mark), name));
}
inline const TraceTensor& result_of(const Trace& trace, const std::string& mark) {
  static const TraceTensor none;
  const TraceCall& call = call_at(trace, mark);
  EXPECT_FALSE(call.results.empty()) << mark;
  return call.results.empty() ? none : tensor_of(trace, call.results.front());
}

}  // namespace minrepro
