#pragma once

#include <string>

namespace minrepro {

/// One line on stderr that is written over while something runs; nothing at all unless stderr is a terminal, and nothing in the first two seconds.
class Progress {
 public:
  Progress();
  ~Progress();                              ///< wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const std::string& text);
  void clear();                             ///< wipes the line, before something else is printed

 private:
  bool is_terminal_;
  bool shown_ = false;
  double start_;
  double last_ = 0;
};

}  // namespace minrepro
