#pragma once

#include <cstddef>
#include <string_view>

namespace minrepro::asserts {

/// The parts of "a|b", as a rule writes what may stand in a place, to be walked through. Every checked launch does: nothing is allocated.
class Alternatives {
 public:
  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest), length_(rest.find('|')) {}
    std::string_view operator*() const { return rest_.substr(0, length_); }
    Iterator& operator++() { return *this = Iterator(length_ == std::string_view::npos ? std::string_view() : rest_.substr(length_ + 1)); }
    bool operator!=(const Iterator& other) const { return rest_.size() != other.rest_.size(); }

   private:
    std::string_view rest_;   ///< from this part on
    std::size_t length_;      ///< of this part; npos for the last one
  };

  explicit Alternatives(std::string_view names) : names_(names) {}
  Iterator begin() const { return Iterator(names_); }
  Iterator end() const { return Iterator({}); }

 private:
  std::string_view names_;
};
inline Alternatives alternatives(std::string_view names) { return Alternatives(names); }

/// Whether `name` is one of `names`, which are written as "a|b".
inline bool is_one_of(std::string_view name, std::string_view names) {
  for (std::string_view alternative : alternatives(names))
    if (alternative == name) return true;
  return false;
}

}  // namespace minrepro::asserts
