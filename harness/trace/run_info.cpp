#include "harness/trace/run_info.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/trace/format.h"
#include "harness/trace/trace_folder.h"

namespace minrepro {

Status write_run_info(const std::string& folder, const RunInfo& info) {
  const nlohmann::ordered_json json = {
      {"minrepro_trace", trace_format::kVersion}, {"command", info.command},       {"pid", info.pid},
      {"wait_status", info.wait_status},          {"timed_out", info.timed_out},   {"simulated", info.simulated},
      {"seconds", info.seconds},                  {"minrepro", info.minrepro_version},
  };
  // An argument of the command need not be UTF-8.
  return write_file(folder + "/" + trace_format::kRunFile, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Result<std::optional<RunInfo>> read_run_info(const std::string& folder) {
  const std::string path = folder + "/" + trace_format::kRunFile;
  Result<std::optional<std::string>> text = read_trace_file(path);
  if (!text) return text.error();
  if (!text->has_value()) return std::optional<RunInfo>();
  const nlohmann::json json = nlohmann::json::parse(**text, nullptr, false);
  const auto fail = [&](const char* what) { return Error{fmt::format("{}: {}; was the file edited?", path, what)}; };
  if (!json.is_object()) return fail("not a JSON object");
  if (!json.contains("minrepro_trace")) return fail("not what minrepro record writes (no 'minrepro_trace')");
  RunInfo info;
  if (const auto it = json.find("command"); it != json.end()) {
    if (!it->is_array()) return fail("'command' is not a list");
    for (const nlohmann::json& word : *it) {
      if (!word.is_string()) return fail("'command' holds something other than strings");
      info.command.push_back(printable(word.get<std::string>()));
    }
  }
  const auto integer = [&](const char* key, auto& to) {
    const auto it = json.find(key);
    if (it == json.end()) return true;
    if (!it->is_number_integer()) return false;
    to = it->get<std::remove_reference_t<decltype(to)>>();
    return true;
  };
  const auto boolean = [&](const char* key, bool& to) {
    const auto it = json.find(key);
    if (it == json.end()) return true;
    if (!it->is_boolean()) return false;
    to = it->get<bool>();
    return true;
  };
  if (!integer("pid", info.pid)) return fail("'pid' is not an integer");
  if (!integer("wait_status", info.wait_status)) return fail("'wait_status' is not an integer");
  if (!boolean("timed_out", info.timed_out)) return fail("'timed_out' is not true or false");
  if (!boolean("simulated", info.simulated)) return fail("'simulated' is not true or false");
  return std::optional<RunInfo>(std::move(info));
}

}  // namespace minrepro
