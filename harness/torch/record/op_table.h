#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <ATen/core/function_schema.h>
#include <ATen/record_function.h>

namespace minrepro {

/// What the recorder has to know of one operator overload, found out once.
struct OpEntry {
  const char* key = nullptr;              ///< RecordFunction::name(): lies in the dispatcher's schema, so it is the same for each call
  std::string name;                       ///< without overload
  c10::FunctionSchema schema;
  std::string schema_text;
  std::size_t arguments = 0;
  std::size_t returns = 0;
  std::vector<bool> mutated;              ///< for each argument
  std::vector<bool> viewed;               ///< for each argument: a result may share its memory
  std::vector<bool> returns_argument;     ///< for each return: it is one of the mutated arguments
  bool is_random = false;
  bool is_transparent = false;            ///< its inner calls are recorded instead: it only runs the autograd engine
  bool leaves_content_open = false;       ///< what its results hold is not for the call to say: empty, set_
  bool has_rules = false;                 ///< assert rules of the device-assert model check it

  // The recorder's, under its mutex.
  uint64_t session = 0;                   ///< for which `number` was given
  uint64_t number = 0;

  explicit OpEntry(c10::FunctionSchema s) : schema(std::move(s)) {}
};

/// Finds the entry of the operator that a RecordFunction is about. Reading takes no lock.
class OpTable {
 public:
  OpTable();
  /// Null for what is no operator (the autograd engine's own functions, user scopes).
  OpEntry* find(const at::RecordFunction& fn);
  /// Likewise by schema, for calls that reach the recorder on another way. The entry's key is the schema's own name.
  OpEntry* find(const c10::FunctionSchema& schema);

  /// Around a fork: no other thread is left in the middle of a change.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  static constexpr std::size_t kSlots = 1 << 14;
  OpEntry* add(const char* key, c10::FunctionSchema schema);
  OpEntry* look_up(const char* key) const;

  std::unique_ptr<std::atomic<OpEntry*>[]> slots_;
  std::mutex mutex_;
  std::size_t used_ = 0;
};

}  // namespace minrepro
