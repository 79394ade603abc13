#pragma once

#include <vector>

#include "harness/trace/trace.h"

namespace minrepro {

/// The calls whose effects reach the arguments of call `call`, in order, ending with `call` itself: those that made or wrote a storage that it
/// reads, and, transitively, that those read. Random calls depend on every random call before them (they share the generator), so that replaying the slice
/// draws the recorded numbers. Whether a call writes is read off its schema. Linear in the number of calls.
/// Precondition: 0 <= call < trace.calls.size().
std::vector<int> backward_slice(const Trace& trace, int call);

}  // namespace minrepro
