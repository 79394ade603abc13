#pragma once

#include <string>
#include <string_view>

namespace minrepro::emit {

/// What a program printed, without what says more of this machine than of the failure: backtraces, the folders of files, control characters.
/// The folders that the official builds of PyTorch print ("/pytorch/aten/…") stay: they are the same for everybody.
std::string pasted_output(std::string_view output);

}  // namespace minrepro::emit
