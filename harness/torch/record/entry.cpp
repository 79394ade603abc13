// The recorder's entry points: what LibTorch, Python's start-up hook, the simulated device and the C library call.

#include <cxxabi.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <typeinfo>

#include "harness/torch/record/native_frames.h"
#include "harness/torch/record/python_frames.h"
#include "harness/torch/record/recorder.h"
#include "harness/torch/record/source.h"
#include "harness/torch/record/thread_state.h"
#include "harness/torch/record/thrown_exception.h"

namespace minrepro {
namespace {

Recorder* recorder = nullptr;              // never freed: threads may be in it until the process is gone
std::terminate_handler previous_terminate = nullptr;

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& fn) {
  if (!recorder->is_recording()) return nullptr;
  ThreadState& thread = this_thread();
  const bool is_inner = thread.current != nullptr;
  if (thread.is_inside || (is_inner && !recorder->wants_inner_calls())) return nullptr;
  const Inside inside(thread);
  try {
    if (is_inner) recorder->start_inner_call(fn, thread);
    else recorder->start_call(fn, thread);
  } catch (...) {
    // An argument that cannot be looked at: this call is not recorded. The program must not notice.
  }
  return nullptr;
}

void on_end(const at::RecordFunction& fn, at::ObserverContext*) {
  ThreadState& thread = this_thread();
  if (thread.current != &fn) return;
  const Inside inside(thread);
  try {
    recorder->end_call(fn, thread);
  } catch (...) {
  }
}

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

/// An exception that nobody catches ends a C++ program here.
[[noreturn]] void on_terminate() {
  try {
    if (const std::type_info* type = abi::__cxa_current_exception_type()) {
      std::string message;
      try {
        throw;
      } catch (const std::exception& e) {
        message = e.what();
      } catch (...) {
      }
      ThreadState& thread = this_thread();
      const Inside inside(thread);
      recorder->exception(demangled(type->name()), message, SourceInfo());
    }
  } catch (...) {
  }
  if (previous_terminate != nullptr) previous_terminate();
  std::abort();
}

DataMode data_mode() {
  const char* text = std::getenv("MINREPRO_DATA");
  if (text != nullptr && std::strcmp(text, "none") == 0) return DataMode::kNone;
  if (text != nullptr && std::strcmp(text, "all") == 0) return DataMode::kAll;
  return DataMode::kIndex;
}

__attribute__((constructor)) void load() {
  const char* folder = std::getenv("MINREPRO_TRACE");
  if (folder == nullptr || *folder == '\0') return;
  find_python();
  recorder = new Recorder(folder, data_mode());
  pthread_atfork([] { recorder->before_fork(); }, [] { recorder->after_fork_in_parent(); },
                 [] {
                   forget_python_frames();
                   forget_native_frames();
                   recorder->after_fork_in_child();
                 });
  watch_exceptions();
  previous_terminate = std::set_terminate(on_terminate);
  at::addGlobalCallback(at::RecordFunctionCallback(on_start, on_end).needsInputs(true).needsOutputs(true).scopes({at::RecordScope::FUNCTION}));
  // Registered last, so it runs first: before LibTorch's own destructors.
  std::atexit([] { recorder->close(); });
}

}  // namespace
}  // namespace minrepro

#define MINREPRO_EXPORT extern "C" __attribute__((visibility("default")))

MINREPRO_EXPORT void minrepro_record_violation(const minrepro::ViolationEvent* event) {
  using namespace minrepro;
  if (recorder == nullptr || event == nullptr) return;
  ThreadState& thread = this_thread();
  if (thread.is_inside) return;
  const Inside inside(thread);
  try {
    recorder->violation(*event, thread);
  } catch (...) {
  }
}

/// From Python's start-up hook: an exception that Python is about to print. All are UTF-8; `line` 0: unknown.
MINREPRO_EXPORT void minrepro_record_exception(const char* type, const char* message, const char* file, long line, const char* function) {
  using namespace minrepro;
  if (recorder == nullptr) return;
  ThreadState& thread = this_thread();
  const Inside inside(thread);
  try {
    SourceInfo where;
    where.file = file;
    where.line = line;
    where.function = function;
    where.text = read_source_text(where.file, line);
    recorder->exception(type, message, where);
  } catch (...) {
  }
}

/// From Python's start-up hook: files below this folder are not the user's.
MINREPRO_EXPORT void minrepro_record_ignore_folder(const char* folder) { minrepro::ignore_python_folder(folder); }
