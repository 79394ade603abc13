#pragma once

namespace minrepro {

/// From here on, what an exception says that is thrown inside a recorded call by one of LibTorch's libraries is kept in ThreadState::thrown_…: by the
/// time the call's end is observed, the exception itself is out of reach. Done by pointing those libraries' import of __cxa_throw at ours; where that cannot be done,
/// messages stay empty. Called once.
void watch_exceptions();

}  // namespace minrepro
