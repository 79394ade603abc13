#pragma once

namespace minrepro {

/// How far a program has come: lies in memory shared with the parent, which reads it when the child died without a word.
struct Progress {
  volatile int call = -1;               ///< the call it is in; -1: making leaves
  volatile int calls = 0;               ///< number of calls, once they begin
  volatile bool synchronizing = false;  ///< all calls have returned
  volatile int violation_call = -1;     ///< the call that poisoned the simulated device
  char violation[8192] = {};            ///< what minrepro_sim_violation said then; complete once violation_call is set
};

}  // namespace minrepro
