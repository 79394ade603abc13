#include <fmt/format.h>

#include <algorithm>

#include "harness/emit/call_cpp.h"
#include "harness/emit/emit.h"
#include "harness/emit/headline.h"
#include "harness/emit/leaf_cpp.h"
#include "harness/emit/literals.h"
#include "harness/emit/public_form.h"
#include "harness/emit/wrap.h"

namespace minrepro {
namespace {

using namespace emit;

constexpr std::string_view kMakeGenerator = R"(at::Generator make_generator(const torch::Device& device, uint64_t seed) {
  const torch::Device owner = device.is_cuda() ? device : torch::Device(torch::kCPU);
  at::Generator generator = at::globalContext().defaultGenerator(owner).clone();
  generator.set_current_seed(seed);
  return generator;
}

)";

constexpr std::string_view kCall = R"(// Calls an operator by its registered name; returns all tensors among its results.
std::vector<at::Tensor> call(const char* name, const char* overload, std::vector<c10::IValue> stack) {
  c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).callBoxed(stack);
  std::vector<at::Tensor> results;
  for (const c10::IValue& value : stack) {
    if (value.isTensor()) results.push_back(value.toTensor());
    if (value.isTensorList())
      for (const at::Tensor& tensor : value.toTensorVector()) results.push_back(tensor);
  }
  return results;
}

)";

/// Shows what came out, which waits for the device. Contents only where they are few and every layout can be printed.
std::string show_cpp(const Program& program, const Spellings& spellings) {
  const int shown = shown_tensor(program);
  const auto found = spellings.find(shown);
  if (found == spellings.end()) return {};
  constexpr int64_t kMostShown = 1000;
  bool plain = count_elements(program) <= kMostShown;
  bool meta = false;
  for (const Leaf& leaf : program.leaves) {
    plain = plain && leaf.meta.layout == "strided" && !is_complex(leaf.meta.dtype) && numel(leaf.meta.sizes) <= kMostShown;
    meta = meta || leaf.device == "meta";
  }
  for (const Call& call : program.calls)
    for (const Argument& argument : call.args) {
      plain = plain && !(argument.value.is<LayoutValue>() && argument.value.get_if<LayoutValue>()->name != "strided");
      meta = meta || argument.value == Value(DeviceValue{"meta"});
    }
  if (meta) return fmt::format("\n  std::cout << {}.sizes() << '\\n';\n", found->second);
  if (program.device == "cpu" && plain) return fmt::format("\n  std::cout << {} << '\\n';\n", found->second);
  return fmt::format("\n  std::cout << {}.cpu(){} << '\\n';  // the copy waits for the device: an error surfaces here at the latest\n", found->second,
                     plain ? "" : ".sizes()");
}

std::string load_libraries(const std::vector<std::string>& libraries) {
  std::string text;
  std::vector<std::string> names;
  for (const std::string& library : libraries) names.push_back(string_literal(library));
  text += wrapped(fmt::format("for (const char* library : {{{}}}) {{", joined(names)), 2);
  text += "    if (dlopen(library, RTLD_NOW | RTLD_GLOBAL) == nullptr) {\n";
  text += "      std::cerr << \"cannot load the custom operators: \" << dlerror() << '\\n';\n";
  text += "      return 2;\n    }\n  }\n";
  return text;
}

}  // namespace

bool has_public_cpp(const Program& program, const OpCatalog& catalog) {
  return std::all_of(program.calls.begin(), program.calls.end(), [&](const Call& call) {
    const Schema* schema = catalog.find(call.op);
    return schema != nullptr && public_form_of(*schema, call).form != Form::kDispatcher;
  });
}

Result<std::string> emit_repro_cpp(const Program& program, const OpCatalog& catalog, const Expectation& expectation, EmitStyle style) {
  if (program.calls.empty()) return Error{"the program has no call"};
  Identifiers identifiers;
  Spellings spellings = name_leaves(program, catalog, identifiers);
  std::string body;
  for (const Leaf& leaf : program.leaves) body += leaf_cpp(leaf, program, spellings);
  CallWriter calls(program, catalog, style, identifiers, spellings);
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    auto text = calls.write(program.calls[i]);
    if (!text) return Error{fmt::format("calls[{}]: {}", i, text.error().message)};
    body += *text;
  }
  body += show_cpp(program, spellings);

  std::string text = opening_comment(program, expectation, "// ");
  if (calls.used_dispatcher()) text += "#include <ATen/core/dispatch/Dispatcher.h>\n";
  if (!expectation.libraries.empty()) text += "#include <dlfcn.h>\n";
  text += "#include <torch/torch.h>\n\n#include <iostream>\n";
  const bool has_inf = mentions(body, "inf");
  const bool has_nan = mentions(body, "nan");
  if (has_inf || has_nan || body.find("std::numeric_limits") != std::string::npos) text += "#include <limits>\n";
  if (calls.used_dispatcher()) text += "#include <vector>\n";
  text += '\n';
  if (calls.used_dispatcher()) text += kCall;
  if (body.find("make_generator(device") != std::string::npos) text += kMakeGenerator;
  const std::string device = program.device == "cpu" ? "cpu" : program.device.starts_with("cuda") ? program.device : "cuda";
  text += "int main(int argc, char** argv) {\n";
  text += fmt::format("  const torch::Device device(argc > 1 ? argv[1] : \"{}\");\n", device);
  // Inside main: at global scope, <math.h> has a function of the name nan.
  if (has_inf) text += "  constexpr double inf = std::numeric_limits<double>::infinity();\n";
  if (has_nan) text += "  constexpr double nan = std::numeric_limits<double>::quiet_NaN();\n";
  if (!expectation.libraries.empty()) text += load_libraries(expectation.libraries);
  return text + "\n" + body + "}\n";
}

}  // namespace minrepro
