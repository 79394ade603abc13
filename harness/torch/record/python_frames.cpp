#include "harness/torch/record/python_frames.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/torch/record/python_api.h"

namespace minrepro {
namespace {

using python::Api;
using python::Object;
using python::ThreadState;

/// Whose code a frame runs.
enum class Owner : uint8_t {
  kLibrary,
  kAnonymous,                             ///< "<string>": python -c, but generated code too
  kUser,
};

struct Place {
  const void* code;
  int64_t position;                       ///< f_lasti, or the line number where Python does not tell the former
  bool operator==(const Place&) const = default;
};
struct PlaceHash {
  std::size_t operator()(const Place& p) const {
    return (reinterpret_cast<uintptr_t>(p.code) >> 4) * 0x9E3779B97F4A7C15u + static_cast<std::size_t>(p.position) * 0xC2B2AE3D27D4EB4Fu;
  }
};

const Api* api = nullptr;
std::atomic<ThreadState*> latest_thread{nullptr};   // the Python thread that made the latest call

struct Cache {
  std::mutex mutex;
  std::vector<std::string> ignored;
  std::unordered_map<const void*, Owner> owners;     // by code object; holds a reference to each: an address is never another one's
  std::unordered_map<Place, SourceInfo*, PlaceHash> places;
};
Cache* current = new Cache;                          // used until the process is gone

/// The GIL guards the cache where there is one; a Python without it needs the mutex. It is held for look-ups only: calls into Python may run a garbage
/// collection, thus any code, which may wait for other threads.
class Guarded {
 public:
  Guarded() : lock_(current->mutex, std::defer_lock) {
    if (!api->has_gil) lock_.lock();
  }
  Cache* operator->() const { return current; }

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Keeps the exception that Python may be about to raise out of our way.
class KeptError {
 public:
  KeptError() { api->error_fetch(&type_, &value_, &trace_); }
  ~KeptError() {
    api->error_clear();
    api->error_restore(type_, value_, trace_);
  }

 private:
  Object* type_ = nullptr;
  Object* value_ = nullptr;
  Object* trace_ = nullptr;
};

std::string text_attribute(Object* object, const char* name) {
  Object* attribute = api->get_attribute(object, name);
  if (attribute == nullptr) {
    api->error_clear();
    return {};
  }
  const char* text = api->as_utf8(attribute);
  std::string copy = text != nullptr ? text : "";
  if (text == nullptr) api->error_clear();
  api->decref(attribute);
  return copy;
}

Owner owner_of(const std::string& file, const std::vector<std::string>& ignored) {
  if (file == "<string>") return Owner::kAnonymous;
  if (file.starts_with("<frozen") || file.starts_with("<__array_function__") || file.starts_with("<eval_with_key") || file.starts_with("<attrs"))
    return Owner::kLibrary;
  for (const char* folder : {"/site-packages/", "/dist-packages/", "/lib/python3", "/lib64/python3"})
    if (file.find(folder) != std::string::npos) return Owner::kLibrary;
  for (const std::string& folder : ignored)
    if (file.starts_with(folder)) return Owner::kLibrary;
  return Owner::kUser;
}

/// The following run with the GIL held.
Owner owner_of_code(Object* code) {
  {
    const Guarded cache;
    if (const auto known = cache->owners.find(code); known != cache->owners.end()) return known->second;
  }
  const KeptError kept;
  const std::string file = text_attribute(code, "co_filename");
  const Guarded cache;
  const Owner owner = owner_of(file, cache->ignored);
  if (cache->owners.emplace(code, owner).second) api->incref(code);
  return owner;
}

SourceInfo* place_of(Object* frame, Object* code) {
  const Place place{code, api->frame_lasti != nullptr ? api->frame_lasti(frame) : api->frame_line(frame)};
  {
    const Guarded cache;
    if (const auto known = cache->places.find(place); known != cache->places.end()) return known->second;
  }
  const KeptError kept;
  auto info = std::make_unique<SourceInfo>();
  info->file = text_attribute(code, "co_filename");
  info->function = text_attribute(code, "co_name");
  info->line = api->frame_line(frame);
  info->text = read_source_text(info->file, info->line);
  const Guarded cache;
  const auto [entry, is_new] = cache->places.emplace(place, info.get());
  if (is_new) info.release();
  return entry->second;
}

/// Walks outwards from `frame`, which it takes over.
SourceInfo* innermost_user_line(Object* frame) {
  SourceInfo* innermost = nullptr;
  SourceInfo* anonymous = nullptr;
  SourceInfo* found = nullptr;
  bool is_first = true;
  while (frame != nullptr) {
    Object* code = api->frame_code(frame);
    const Owner owner = owner_of_code(code);
    if (owner == Owner::kUser) found = place_of(frame, code);
    else if (owner == Owner::kAnonymous && anonymous == nullptr) anonymous = place_of(frame, code);
    else if (is_first) innermost = place_of(frame, code);
    is_first = false;
    api->decref(code);
    Object* back = found == nullptr ? api->frame_back(frame) : nullptr;
    api->decref(frame);
    frame = back;
  }
  return found != nullptr ? found : anonymous != nullptr ? anonymous : innermost;
}

bool is_living_thread(ThreadState* wanted) {
  for (ThreadState* t = api->first_thread(api->interpreter()); t != nullptr; t = api->next_thread(t))
    if (t == wanted) return true;
  return false;
}

}  // namespace

void find_python() { api = python::find_api(); }

void forget_python_frames() {
  const auto ignored = current->ignored;
  current = new Cache;
  current->ignored = ignored;
}

bool is_python_here() { return api != nullptr && api->is_initialized() != 0; }

void ignore_python_folder(const char* folder) {
  std::lock_guard<std::mutex> lock(current->mutex);
  current->ignored.emplace_back(folder);
  if (!current->ignored.back().ends_with('/')) current->ignored.back() += '/';
}

SourceInfo* python_source() {
  if (!is_python_here() || (api->is_finalizing != nullptr && api->is_finalizing())) return nullptr;
  ThreadState* thread = api->this_thread_state();
  if (thread == nullptr) return nullptr;
  const int gil = api->gil_ensure();
  SourceInfo* source = nullptr;
  if (Object* frame = api->frame_of_thread(thread)) {
    latest_thread.store(thread, std::memory_order_relaxed);
    source = innermost_user_line(frame);
  } else if (ThreadState* waiting = latest_thread.load(std::memory_order_relaxed); waiting != nullptr && is_living_thread(waiting)) {
    if (Object* waiting_frame = api->frame_of_thread(waiting)) source = innermost_user_line(waiting_frame);
  }
  api->gil_release(gil);
  return source;
}

}  // namespace minrepro
