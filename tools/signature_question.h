#pragma once

#include <map>
#include <string>

#include "harness/base/stop.h"
#include "harness/failure/failure.h"
#include "harness/oracle/oracle.h"
#include "reducers/question.h"

namespace minrepro {

/// A failure that a candidate showed instead of the wanted one, with the first program that showed it. Kept, never followed.
struct ByFinding {
  Program program;
  Outcome outcome;
  int64_t times = 0;
};

/// "Does it still fail with this signature?", asked of a worker.
class SignatureQuestion : public Question {
 public:
  /// `wanted`: an outcome of the program to reduce.
  SignatureQuestion(Worker& worker, const Outcome& wanted, RunLimits limits, int jobs);

  Result<std::vector<bool>> ask(std::span<const Program> candidates) override;
  int width() const override { return jobs_; }

  /// By the text of their signature. Exceptions are not kept: a candidate with shapes that do not fit raises one, and that is no finding.
  const std::map<std::string, ByFinding>& by_findings() const { return by_findings_; }

 private:
  Worker& worker_;
  Signature wanted_;
  bool is_about_nan_;
  RunLimits limits_;
  int jobs_;
  std::map<std::string, ByFinding> by_findings_;
};

}  // namespace minrepro
