#include "tools/repro_folder.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/files.h"
#include "harness/program/text_form.h"

namespace minrepro {
namespace fs = std::filesystem;

namespace {
std::string dumped(const nlohmann::ordered_json& json) { return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"; }

/// "device_assert-aten.gather": no character that a file name cannot have, whatever an operator is called.
std::string file_name_of(const Signature& signature) {
  std::string name = fmt::format("{}-{}", name_of(signature.kind), signature.op);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = c == ':' ? '.' : '_';
  std::erase_if(name, [previous = '\0'](char c) mutable { return std::exchange(previous, c) == '.' && c == '.'; });
  return name.substr(0, 100);
}
}  // namespace

nlohmann::json to_json(const ReductionReport& r) {
  return {{"source", r.source}, {"device", r.device}, {"inputs", r.inputs}, {"scope", r.scope}, {"calls_before", r.calls_before},
          {"calls_after", r.calls_after}, {"elements_before", r.elements_before}, {"elements_after", r.elements_after},
          {"oracle_calls", r.oracle_calls}, {"seconds", r.seconds}, {"minimal", r.minimal}, {"end", r.end}, {"signature", to_json(r.signature)},
          {"violation", r.violation}, {"torch", r.torch}, {"passes", r.passes}, {"verified", r.verified}, {"verified_on", r.verified_on}, {"runs", r.runs},
          {"failed_same", r.failed_same}, {"not_verified", r.not_verified}, {"style", r.style}, {"verify_seconds", r.verify_seconds}};
}

Result<VerifyExpectation> read_reduction(const std::string& folder) {
  const std::string file = folder + "/reduction.json";
  const Result<std::string> text = read_file(file);
  if (!text) return Error{text.error().message + "; minrepro reduce writes it"};
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("signature")) return Error{fmt::format("{}: not what minrepro reduce writes (no 'signature')", file)};
  Result<Signature> signature = signature_from_json(json["signature"]);
  if (!signature) return Error{fmt::format("{}: {}", file, signature.error().message)};
  if (signature->kind == FailureKind::kNone || signature->kind == FailureKind::kInvalid) return Error{fmt::format("{}: the signature is no failure", file)};
  VerifyExpectation expectation{std::move(*signature), "sim"};
  if (json.contains("device") && json["device"].is_string()) expectation.device = json["device"].get<std::string>();
  return expectation;
}

Status prepare_repro_folder(const std::string& folder) {
  if (const Status made = make_folder(folder); !made) return made;
  if (access(folder.c_str(), W_OK | X_OK) != 0) return Error{fmt::format("cannot write into '{}'; name another folder with -o", folder)};
  std::error_code ignored;
  if (fs::is_empty(folder, ignored)) return {};
  // The program comes first: it is there even if an earlier run was killed.
  const Result<std::string> program = read_file(folder + "/program.json");
  if (program && program_from_text(*program)) return {};
  return Error{fmt::format("'{}' holds files that minrepro reduce did not write; name another folder with -o", folder)};
}

Status write_program(const std::string& folder, const Program& program, const OpCatalog& catalog, const Expectation& expectation, EmitStyle style) {
  const Result<std::string> cpp = emit_repro_cpp(program, catalog, expectation, style);
  if (!cpp) return cpp.error();
  const Result<std::string> py = emit_repro_py(program, catalog, expectation);
  if (!py) return py.error();
  const std::pair<const char*, std::string> files[] = {{"program.json", to_text(program)}, {"repro.cpp", *cpp}, {"CMakeLists.txt", emit_cmake_lists()},
                                                       {"repro.py", *py}, {"ISSUE.md", emit_issue_markdown(program, expectation, *cpp, *py)}};
  for (const auto& [name, text] : files)
    if (const Status written = write_file(folder + "/" + name, text); !written) return written;
  return {};
}

Status write_report(const std::string& folder, const ReductionReport& report) { return write_file(folder + "/reduction.json", dumped(to_json(report))); }

Status write_by_findings(const std::string& folder, const std::map<std::string, ByFinding>& findings, const OpCatalog& catalog) {
  const std::string other = folder + "/other";
  std::error_code ignored;
  if (fs::is_directory(other, ignored))
    for (const auto& entry : fs::directory_iterator(other, ignored))
      if (entry.is_regular_file(ignored) && (entry.path().extension() == ".json" || entry.path().extension() == ".cpp")) fs::remove(entry.path(), ignored);
  if (findings.empty()) {
    fs::remove(other, ignored);                          // stays if it holds anything else
    return {};
  }
  if (const Status made = make_folder(other); !made) return made;
  for (const auto& [text, finding] : findings) {
    const Signature signature = signature_of(finding.outcome);
    const std::string name = other + "/" + file_name_of(signature);
    if (const Status written = write_file(name + ".json", to_text(finding.program)); !written) return written;
    Expectation expectation;
    expectation.signature = signature;
    expectation.violation_text = finding.outcome.message;
    expectation.simulated = finding.program.device == "sim";
    const Result<std::string> cpp = emit_repro_cpp(finding.program, catalog, expectation, EmitStyle::kReadable);
    if (!cpp) continue;                                  // the program itself is kept
    if (const Status written = write_file(name + ".cpp", *cpp); !written) return written;
  }
  return {};
}

}  // namespace minrepro
