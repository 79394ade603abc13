#include "harness/asserts/rules/rules.h"

namespace minrepro {

std::span<const AssertRule> rule_table() {
  static const std::vector<AssertRule> table = [] {
    std::vector<AssertRule> all;
    for (auto family : {rules::indexing, rules::embedding, rules::pooling, rules::losses, rules::sampling, rules::lengths, rules::sparse,
                        rules::linear_algebra, rules::attention, rules::buffers, rules::arithmetic}) {
      std::vector<AssertRule> some = family();
      all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    }
    return all;
  }();
  return table;
}

}  // namespace minrepro
