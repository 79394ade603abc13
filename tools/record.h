#pragma once

namespace minrepro {

/// `minrepro record`: see tools/command_line.h.
int record_command(int argc, char** argv);

}  // namespace minrepro
