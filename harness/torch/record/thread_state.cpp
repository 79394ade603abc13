#include "harness/torch/record/thread_state.h"

namespace minrepro {
namespace {

// One pointer: small enough for the static TLS area, where a library that is loaded late finds room, and read with one instruction.
__attribute__((tls_model("initial-exec"))) thread_local ThreadState* state = nullptr;

struct Owner {
  ~Owner() {
    delete state;
    state = nullptr;
  }
};

ThreadState& make_state() {
  thread_local Owner owner;
  (void)owner;
  state = new ThreadState;
  return *state;
}

}  // namespace

ThreadState& this_thread() {
  if (state != nullptr) [[likely]] return *state;
  return make_state();
}

}  // namespace minrepro
