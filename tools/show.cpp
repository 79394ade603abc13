#include <fmt/core.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/shell_words.h"
#include "harness/program/text_form.h"
#include "tools/command_line.h"
#include "tools/input.h"

namespace minrepro {
namespace {

/// A value as people write it: "float32[4, 2] sim", 3, "mean".
struct Describe {
  const Trace& trace;

  std::string operator()(const None&) const { return "None"; }
  std::string operator()(const TensorRef& v) const {
    const TraceTensor& t = trace.tensors[static_cast<std::size_t>(v.id)];
    return fmt::format("{}[{}]{}{} {}", name_of(t.meta.dtype), fmt::join(t.meta.sizes, ", "), t.meta.layout == "strided" ? "" : " " + t.meta.layout,
                       t.meta.layout == "strided" && !is_contiguous(t.meta) ? fmt::format(" strides [{}]", fmt::join(t.meta.strides, ", ")) : "", t.device);
  }
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return fmt::format("{:#}", v); }
  std::string operator()(const std::complex<double>& v) const { return fmt::format("({}, {})", v.real(), v.imag()); }
  std::string operator()(bool v) const { return v ? "True" : "False"; }
  std::string operator()(const std::string& v) const { return nlohmann::json(v).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }
  std::string operator()(const DeviceValue& v) const { return v.name; }
  std::string operator()(const DTypeValue& v) const { return std::string(name_of(v.dtype)); }
  std::string operator()(const LayoutValue& v) const { return v.name; }
  std::string operator()(const MemoryFormatValue& v) const { return v.name; }
  std::string operator()(const GeneratorValue& v) const { return fmt::format("generator seeded {}", v.seed); }
  std::string operator()(const OpaqueValue& v) const { return fmt::format("<{}>", v.type); }
  std::string operator()(const Value::List& v) const {
    std::vector<std::string> items;
    for (const Value& item : v) items.push_back(std::visit(*this, item.data));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }
};

std::string where_of(const Trace& trace, const TraceCall& call) {
  if (call.source < 0) return "";
  const SourceLine& source = trace.sources[static_cast<std::size_t>(call.source)];
  return fmt::format("{}:{}", std::filesystem::path(source.file).filename().string(), source.line);
}

std::string text_of(const Trace& trace, const TraceCall& call) {
  const Schema& schema = trace.ops[static_cast<std::size_t>(call.op)];
  std::vector<std::string> args;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const SchemaArgument* described = i < schema.arguments.size() ? &schema.arguments[i] : nullptr;
    if (described && described->default_value && *described->default_value == call.args[i]) continue;
    args.push_back(fmt::format("{}={}", described ? described->name : "?", std::visit(Describe{trace}, call.args[i].data)));
  }
  std::vector<std::string> results;
  for (const Value& result : call.results) results.push_back(std::visit(Describe{trace}, result.data));
  const std::string_view end = call.state == CallState::kFinished ? "" : call.state == CallState::kThrew ? "  raised an exception" : "  did not return";
  return fmt::format("{}({}){}{}{}", schema.name, fmt::join(args, ", "), results.empty() ? "" : " -> ", fmt::join(results, ", "), end);
}

nlohmann::json json_of(const Trace& trace) {
  nlohmann::json calls = nlohmann::json::array();
  for (std::size_t i = 0; i < trace.calls.size(); ++i)
    calls.push_back({{"index", i}, {"op", trace.ops[static_cast<std::size_t>(trace.calls[i].op)].name}, {"where", where_of(trace, trace.calls[i])},
                     {"thread", trace.calls[i].thread}, {"text", text_of(trace, trace.calls[i])}});
  nlohmann::json j = {{"torch", trace.torch_version}, {"command", trace.command}, {"simulated", trace.simulated}, {"calls", std::move(calls)}};
  if (const auto failure = failure_of(trace))
    j["failure"] = {{"kind", failure->kind}, {"call", failure->call}, {"symptom_call", failure->symptom_call}, {"rule", failure->rule}, {"op", failure->op},
                    {"text", failure->text}};
  return j;
}

void print(const Trace& trace) {
  fmt::print("trace of: {}\ntorch {}{}, {} calls\n\n", shell_words(trace.command), trace.torch_version.empty() ? "of unknown version" : trace.torch_version, trace.simulated ? ", simulated device" : "", trace.calls.size());
  const std::optional<TraceFailure> failure = failure_of(trace);
  for (std::size_t i = 0; i < trace.calls.size(); ++i) {
    const int index = static_cast<int>(i);
    const std::string_view mark = failure && failure->call == index ? "  <== culprit" : failure && failure->symptom_call == index ? "  <== symptom" : "";
    fmt::print("{:>7}  {:<24} {}{}\n", i, where_of(trace, trace.calls[i]), text_of(trace, trace.calls[i]), mark);
  }
  if (failure) fmt::print("\n{} in {}: {}\n", failure->kind, failure->op, failure->text);
}

}  // namespace

int show_command(int argc, char** argv) {
  cxxopts::Options options("minrepro show", "Prints a trace or a program.");
  options.add_options()("json", "One JSON document instead of text")("input", "A trace folder or a program file", cxxopts::value<std::string>());
  options.parse_positional("input");
  options.positional_help("TRACE|PROGRAM");
  cxxopts::ParseResult parsed;
  if (const auto status = parse_options(options, "show", "minrepro show train.trace", argc, argv, parsed)) return *status;
  if (parsed.count("input") == 0) return complain("show", "which trace or program? see minrepro show --help");
  const Result<Input> input = read_input(parsed["input"].as<std::string>());
  if (!input) return complain("show", input.error().message);
  if (input->program) fmt::print("{}", to_text(*input->program));
  else if (parsed.count("json")) fmt::print("{}\n", json_of(*input->trace).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else print(*input->trace);
  return kDone;
}

}  // namespace minrepro
