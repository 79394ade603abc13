#include "tools/signature_question.h"

namespace minrepro {

SignatureQuestion::SignatureQuestion(Worker& worker, const Outcome& wanted, RunLimits limits, int jobs)
    : worker_(worker), wanted_(signature_of(wanted)), is_about_nan_(is_about_nan(wanted)), limits_(limits), jobs_(jobs) {}

Result<std::vector<bool>> SignatureQuestion::ask(std::span<const Program> candidates) {
  Result<std::vector<Outcome>> outcomes = worker_.run(candidates, limits_);
  if (!outcomes) return outcomes.error();
  std::vector<bool> answers;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Outcome& outcome = (*outcomes)[i];
    const Signature signature = signature_of(outcome);
    const bool same_kernel = signature == wanted_;
    answers.push_back(same_kernel && is_about_nan(outcome) == is_about_nan_);
    const bool finding = outcome.kind == FailureKind::kDeviceAssert || outcome.kind == FailureKind::kIllegalAccess || outcome.kind == FailureKind::kSignal;
    if (same_kernel || !finding) continue;
    ByFinding& kept = by_findings_.try_emplace(to_text(signature), ByFinding{candidates[i], outcome, 0}).first->second;
    ++kept.times;
  }
  return answers;
}

}  // namespace minrepro
