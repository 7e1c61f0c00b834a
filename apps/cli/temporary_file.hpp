// A file that is being written and has no final name yet. It disappears on any failure and on the signals that end a program.
#pragma once

#include <string>

namespace floe::cli {

/// Creates `.NAME.XXXXXX.tmp` beside `target`, readable by nobody else. At most one exists at a time, as the program writes one file
/// after the other.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Closes the file and gives it its final name. Unless `replace`, an existing file under that name is a failure and is kept.
  /// `synchronize`: contents and name have reached the disk when it returns.
  void take_name(bool replace, bool synchronize);

 private:
  void close_checked();

  std::string target_;
  std::string path_;
  int descriptor_ = -1;
  bool named_ = false;
};

}  // namespace floe::cli
