#include "reducers/reducer.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "harness/program/order.h"
#include "harness/program/text_form.h"
#include "harness/program/validate.h"

namespace minrepro {
namespace {

/// Of a program's text. Texts of programs with much data are long, and there are many of them.
using Fingerprint = std::pair<std::size_t, uint64_t>;
Fingerprint fingerprint_of(const Program& program) {
  const std::string text = to_text(program);
  uint64_t sum = 0xCBF29CE484222325U;                // FNV-1a
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return {std::hash<std::string>{}(text), sum};
}

class Search {
 public:
  Search(const Program& program, const std::map<int, TensorMeta>& metas, const OpCatalog& catalog, Question& question, const StopCondition& stop,
         const ReduceOptions& options)
      : context_{catalog, metas}, question_(question), stop_(stop), options_(options) {
    result_.program = program;
    complexity_ = complexity_of(program);
    asked_.insert(fingerprint_of(program));
  }

  Reduction run() {
    bool accepted_any = true;
    while (accepted_any && !over_) {
      accepted_any = false;
      for (const PassRow& pass : options_.passes) {
        while (!over_ && round(pass)) accepted_any = true;
        if (over_) break;
      }
    }
    return std::move(result_);
  }

 private:
  /// Goes through the edits of one pass until one is accepted; then goes on among those that are no larger, so that a large edit that has just
  /// failed is not tried again at once. Returns whether anything was accepted.
  bool round(const PassRow& pass) {
    bool accepted = false;
    int64_t largest = INT64_MAX;
    for (;;) {
      std::vector<Edit> edits = pass.find(result_.program, context_);
      std::erase_if(edits, [&](const Edit& edit) { return edit.size > largest; });
      const Edit* kept = first_that_keeps(pass, edits);
      if (!kept) return accepted;
      accepted = true;
      largest = kept->size;
    }
  }

  const Edit* first_that_keeps(const PassRow& pass, const std::vector<Edit>& edits) {
    const auto width = static_cast<std::size_t>(std::max(1, question_.width()));
    for (std::size_t at = 0; at < edits.size();) {
      std::vector<Program> candidates;
      std::vector<const Edit*> from;
      std::vector<Complexity> complexities;
      while (at < edits.size() && candidates.size() < width) {
        const Edit& edit = edits[at++];
        std::optional<Program> candidate = edit.apply(result_.program);
        if (!candidate) continue;
        const Complexity complexity = complexity_of(*candidate);
        if (!(complexity < complexity_) || !asked_.insert(fingerprint_of(*candidate)).second || !validate(*candidate, context_.catalog)) {
          ++result_.rejected_unasked;
          continue;
        }
        candidates.push_back(std::move(*candidate));
        from.push_back(&edit);
        complexities.push_back(complexity);
      }
      if (candidates.empty() || !may_ask()) return nullptr;
      result_.questions += static_cast<int64_t>(candidates.size());
      const Result<std::vector<bool>> answers = question_.ask(candidates);
      if (!answers) {
        finish(ReductionEnd::kBroken);
        result_.error = answers.error().message;
        return nullptr;
      }
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!(*answers)[i]) continue;
        result_.program = std::move(candidates[i]);
        complexity_ = complexities[i];
        ++result_.accepted[std::string(pass.name)];
        if (options_.on_step) options_.on_step({std::string(pass.name), from[i]->text, result_.questions, &result_.program});
        return from[i];
      }
    }
    return nullptr;
  }

  bool may_ask() {
    if (stop_.interrupted()) finish(ReductionEnd::kInterrupted);
    else if (stop_.out_of_time() || result_.questions >= options_.max_questions) finish(ReductionEnd::kOutOfBudget);
    return !over_;
  }

  void finish(ReductionEnd end) {
    over_ = true;
    result_.end = end;
  }

  PassContext context_;
  Question& question_;
  const StopCondition& stop_;
  const ReduceOptions& options_;
  Reduction result_;
  Complexity complexity_;
  std::set<Fingerprint> asked_;
  bool over_ = false;
};

}  // namespace

Reduction reduce(const Program& program, const std::map<int, TensorMeta>& result_metas, const OpCatalog& catalog, Question& question,
                 const StopCondition& stop, const ReduceOptions& options) {
  return Search(program, result_metas, catalog, question, stop, options).run();
}

}  // namespace minrepro
