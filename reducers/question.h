#pragma once

#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/program/program.h"

namespace minrepro {

/// The one thing that reducers ask of the world: does this program still fail so?
class Question {
 public:
  virtual ~Question() = default;
  /// One answer for each candidate, in order. An error ends the reduction with the best program so far.
  virtual Result<std::vector<bool>> ask(std::span<const Program> candidates) = 0;
  /// How many candidates are worth asking at once (children that run side by side).
  virtual int width() const = 0;
};

}  // namespace minrepro
