#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/record_function.h>

#include "harness/torch/record/op_table.h"

namespace minrepro {

/// What the recorder keeps for each thread.
struct ThreadState {
  const at::RecordFunction* current = nullptr;           ///< the outermost call that runs now
  OpEntry* op = nullptr;                                 ///< its operator
  uint64_t call = 0;                                     ///< its number
  uint64_t session = 0;                                  ///< of `call` and `number`
  uint64_t number = 0;                                   ///< of the thread
  bool is_inside = false;                                ///< in the recorder itself: what it calls is not recorded
  int uncaught = 0;                                      ///< exceptions in flight when the call began, if it returns nothing
  std::vector<const c10::TensorImpl*> arguments;         ///< of the present call
  std::string thrown_type;                               ///< the latest C++ exception of this thread
  std::string thrown_message;
};

/// Of the calling thread; freed when it ends.
ThreadState& this_thread();

/// Marks the thread as inside the recorder.
class Inside {
 public:
  explicit Inside(ThreadState& thread) : thread_(thread) { thread_.is_inside = true; }
  ~Inside() { thread_.is_inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  ThreadState& thread_;
};

}  // namespace minrepro
