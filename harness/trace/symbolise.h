#pragma once

#include "harness/trace/trace.h"

namespace minrepro {

/// A source that the recorder kept as "MODULE, +0xOFFSET" (a C++ program) as file, line and function, with debug information read by
/// `addr2line` where both exist; else the name of the function around it, from the module's symbol table; else unchanged. Other sources are unchanged.
/// Reads the module's file: it has to be the one that ran. Only a plain file with an absolute path that belongs to the user or to root is read.
SourceLine symbolised(const SourceLine& source);

/// Does so for the sources of these calls (positions in Trace::calls; others are ignored).
void symbolise(Trace& trace, const std::vector<int>& calls);

}  // namespace minrepro
