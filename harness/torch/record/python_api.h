#pragma once

/// The few functions of Python's C API that the recorder uses, found by name at run time: one build serves every Python, and C++ programs have none.
namespace minrepro::python {

struct Object;
struct ThreadState;
struct Interpreter;

struct Api {
  bool has_gil = true;
  int (*is_initialized)() = nullptr;
  int (*is_finalizing)() = nullptr;                                   ///< may be null
  ThreadState* (*this_thread_state)() = nullptr;
  int (*gil_ensure)() = nullptr;
  void (*gil_release)(int) = nullptr;
  Object* (*frame_of_thread)(ThreadState*) = nullptr;                 ///< new reference, or null
  Object* (*frame_back)(Object*) = nullptr;                           ///< new reference, or null
  Object* (*frame_code)(Object*) = nullptr;                           ///< new reference
  int (*frame_lasti)(Object*) = nullptr;                              ///< may be null (before 3.11)
  int (*frame_line)(Object*) = nullptr;
  Object* (*get_attribute)(Object*, const char*) = nullptr;           ///< new reference
  const char* (*as_utf8)(Object*) = nullptr;
  void (*error_clear)() = nullptr;
  void (*error_fetch)(Object**, Object**, Object**) = nullptr;
  void (*error_restore)(Object*, Object*, Object*) = nullptr;
  void (*incref)(Object*) = nullptr;
  void (*decref)(Object*) = nullptr;
  Interpreter* (*interpreter)() = nullptr;
  ThreadState* (*first_thread)(Interpreter*) = nullptr;
  ThreadState* (*next_thread)(ThreadState*) = nullptr;
};

/// Null if this process has no Python, or one whose API lacks something.
const Api* find_api();

}  // namespace minrepro::python
