#pragma once

#include <functional>
#include <map>
#include <string>

#include "harness/base/stop.h"
#include "reducers/pass_table.h"
#include "reducers/question.h"

namespace minrepro {

struct ReductionStep {
  std::string pass;
  std::string edit;
  int64_t questions = 0;        ///< asked so far
  const Program* program = nullptr;
};

enum class ReductionEnd {
  kMinimal,                     ///< no single edit of any pass keeps the failure
  kOutOfBudget,                 ///< time or questions spent
  kInterrupted,
  kBroken,                      ///< the question could not be answered any more; `error` says why
};

struct Reduction {
  Program program;              ///< the simplest program that was answered "yes"
  ReductionEnd end = ReductionEnd::kMinimal;
  int64_t questions = 0;        ///< candidates asked
  int64_t rejected_unasked = 0; ///< candidates that were not valid, not simpler, or asked before
  std::map<std::string, int64_t> accepted;   ///< edits kept, by pass
  std::string error;
};

struct ReduceOptions {
  int64_t max_questions = 5000;
  std::span<const PassRow> passes = pass_table();
  std::function<void(const ReductionStep&)> on_step;   ///< after each accepted edit; may be empty
};

/// Applies the passes of `pass_table()` round after round until no edit is accepted. Every accepted program is valid, was answered "yes", and is strictly
/// simpler than the one before (`order.h`). Deterministic: the same program and the same answers give the same result. `program` itself is not asked:
/// the caller has proved it. Never returns anything that was not answered "yes" (or `program`).
Reduction reduce(const Program& program, const std::map<int, TensorMeta>& result_metas, const OpCatalog& catalog, Question& question,
                 const StopCondition& stop, const ReduceOptions& options = {});

}  // namespace minrepro
