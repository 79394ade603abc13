#pragma once

#include "harness/torch/worker/devices.h"

namespace minrepro {

/// Answers the frames of harness/oracle/frame.h on the two descriptors until the first is closed. Returns the process's exit status.
int serve(int in, int out, Devices& devices);

}  // namespace minrepro
