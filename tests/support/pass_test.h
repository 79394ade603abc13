#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness/program/validate.h"
#include "reducers/pass_table.h"
#include "tests/support/programs.h"

/// Pass tests are text in, text out: which edits are found, and what each makes of the program.
namespace minrepro {

struct FoundEdit {
  std::string text;
  std::optional<Program> result;
};

inline std::vector<FoundEdit> edits_of(FindEdits pass, const Program& program, const std::map<int, TensorMeta>& metas = {}) {
  static const OpCatalog kCatalog = test_catalog();
  const PassContext context{kCatalog, metas};
  std::vector<FoundEdit> found;
  for (const Edit& edit : pass(program, context)) {
    found.push_back({edit.text, edit.apply(program)});
    if (found.back().result && !program.calls.empty()) {
      const Status status = validate(*found.back().result, kCatalog);
      EXPECT_TRUE(status.ok()) << edit.text << ": " << status.error().message;      // whatever a pass offers means something
    }
  }
  return found;
}

inline const FoundEdit* find_edit(const std::vector<FoundEdit>& edits, const std::string& text) {
  const auto at = std::find_if(edits.begin(), edits.end(), [&](const FoundEdit& e) { return e.text.find(text) != std::string::npos; });
  return at == edits.end() ? nullptr : &*at;
}

inline std::vector<int64_t> integers_of(const Leaf& leaf) {
  std::vector<int64_t> values;
  if (const auto* fill = std::get_if<ValuesFill>(&leaf.fill))
    for (std::size_t at = 0; at < fill->bytes->size(); at += static_cast<std::size_t>(size_of(leaf.meta.dtype)))
      values.push_back(read_integer(leaf.meta.dtype, fill->bytes->data() + at));
  return values;
}

/// A gather whose index holds 9 at [1, 0]; dimension 1 of self has size 5.
inline Program bad_gather() {
  return program_of(R"({"id": 0, "dtype": "float32", "shape": [2, 5], "random": 1}, {"id": 1, "dtype": "int64", "shape": [2, 3], "values": [0, 1, 4, 9, 2, 3]})",
                    R"({"op": "aten::gather", "args": {"self": {"tensor": 0}, "dim": 1, "index": {"tensor": 1}}, "results": [2]})");
}

}  // namespace minrepro
