// A file that is being written and has no final name yet. It disappears on any failure and on the signals
// that end a program.
#pragma once

#include <string>

namespace floe::cli {

/// A file without any name where the file system has such, so that not even a program that is killed leaves
/// it behind; else
/// `.NAME.XXXXXX.tmp` beside `target`. Readable by nobody else. At most one exists at a time, as the program
/// writes one file after the other.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Closes the file and gives it its final name. Unless `replace`, an existing file under that name is a
  /// failure and is kept. `synchronize`: contents and name have reached the disk when it returns.
  void take_name(bool replace, bool synchronize);

 private:
  void create_with_name();
  void close_checked();
  /// Gives the file `name`, which must be free: false if it is not.
  bool link_as(const std::string& name);
  /// Gives the file a name of its own beside the target.
  void take_free_name();

  std::string target_;
  std::string path_;  ///< Empty while the file has no name.
  int descriptor_ = -1;
  bool named_ = false;
};

}  // namespace floe::cli
