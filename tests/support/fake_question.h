#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "reducers/question.h"

namespace minrepro {

/// Answers by a function, and counts.
class FakeQuestion : public Question {
 public:
  explicit FakeQuestion(std::function<bool(const Program&)> answer, int width = 1) : answer_(std::move(answer)), width_(width) {}

  Result<std::vector<bool>> ask(std::span<const Program> candidates) override {
    std::vector<bool> answers;
    for (const Program& candidate : candidates) {
      if (broken_after >= 0 && asked >= broken_after) return Error{"the worker is gone"};
      ++asked;
      answers.push_back(answer_(candidate));
    }
    return answers;
  }
  int width() const override { return width_; }

  int asked = 0;
  int broken_after = -1;

 private:
  std::function<bool(const Program&)> answer_;
  int width_;
};

}  // namespace minrepro
