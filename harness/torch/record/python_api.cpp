#include "harness/torch/record/python_api.h"

#include <dlfcn.h>

namespace minrepro::python {
namespace {

template <typename F>
bool find(F& to, const char* name) {
  to = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
  return to != nullptr;
}

}  // namespace

const Api* find_api() {
  static Api api;
  const bool complete = find(api.is_initialized, "Py_IsInitialized") && find(api.this_thread_state, "PyGILState_GetThisThreadState") &&
                        find(api.gil_ensure, "PyGILState_Ensure") && find(api.gil_release, "PyGILState_Release") &&
                        find(api.frame_of_thread, "PyThreadState_GetFrame") && find(api.frame_back, "PyFrame_GetBack") &&
                        find(api.frame_code, "PyFrame_GetCode") && find(api.frame_line, "PyFrame_GetLineNumber") &&
                        find(api.get_attribute, "PyObject_GetAttrString") && find(api.as_utf8, "PyUnicode_AsUTF8") &&
                        find(api.error_clear, "PyErr_Clear") && find(api.error_fetch, "PyErr_Fetch") && find(api.error_restore, "PyErr_Restore") &&
                        find(api.incref, "Py_IncRef") && find(api.decref, "Py_DecRef") && find(api.interpreter, "PyInterpreterState_Get") &&
                        find(api.first_thread, "PyInterpreterState_ThreadHead") && find(api.next_thread, "PyThreadState_Next");
  find(api.frame_lasti, "PyFrame_GetLasti");
  if (!find(api.is_finalizing, "Py_IsFinalizing")) find(api.is_finalizing, "_Py_IsFinalizing");
  api.has_gil = dlsym(RTLD_DEFAULT, "_Py_DecRefShared") == nullptr;   // only a Python without it counts shared references apart
  return complete ? &api : nullptr;
}

}  // namespace minrepro::python
