#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/program/order.h"
#include "harness/program/text_form.h"
#include "harness/program/validate.h"

/// Whatever the reader accepts, it reads back the same, and the validator answers.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const auto program = minrepro::program_from_text({reinterpret_cast<const char*>(data), size});
  if (!program) return 0;
  const std::string text = minrepro::to_text(*program);
  const auto again = minrepro::program_from_text(text);
  if (!again || minrepro::to_text(*again) != text) std::abort();
  static const minrepro::OpCatalog kNoOps;
  if (minrepro::validate(*program, kNoOps).ok()) std::abort();      // a valid program has a call, and no operator is known here
  minrepro::complexity_of(*program);
  return 0;
}
