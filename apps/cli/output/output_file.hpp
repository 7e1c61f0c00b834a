// Where a command's bytes go: standard output, a device or fifo that was named, or a file that is complete
// before it has its name.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "floe/floe.hpp"
#include "input/input_file.hpp"
#include "output/temporary_file.hpp"
#include "output/write_behind.hpp"

namespace floe::cli {

struct Destination {
  std::string path;            ///< "-" is standard output.
  bool named_by_user = false;  ///< With -o: then it may be a device or a fifo.
  bool overwrite = false;      ///< With -f.
};

/// An open target. Every failure is thrown as a Failure that names it; until commit() nothing stands under
/// the final name.
class OutputFile {
 public:
  /// Refuses to overwrite the source, and to overwrite anything unless told to.
  OutputFile(const Destination& destination, const InputFile& source);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  [[nodiscard]] bool is_terminal() const noexcept;
  [[nodiscard]] bool is_standard_output() const noexcept { return standard_output_; }
  /// Whether it is written to a temporary file first: then it can be read back, and the source may be deleted
  /// afterwards.
  [[nodiscard]] bool is_regular() const noexcept { return temporary_ != nullptr; }
  /// Of all calls of write().
  [[nodiscard]] std::uint64_t written_bytes() const noexcept { return written_bytes_; }

  /// Large parts are written while the program goes on; a failure may then show at a later call.
  void write(std::span<const std::byte> bytes);
  /// Waits until everything is written; nothing may be written afterwards.
  void finish();
  /// Replaces what was written first. Only if is_regular(), and after finish().
  void replace_begin(std::span<const std::byte> bytes) const;
  /// Reads what was written, from its begin. Only if is_regular(), and after finish().
  std::size_t read_back(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// Waits as finish() does, then gives the file its name, with mode, owner and times of `source`. For other
  /// targets it checks the close.
  void commit(const InputFile& source, bool synchronize);

 private:
  void open_path(const Destination& destination, const InputFile& source);
  void copy_attributes(const InputFile& source) const;
  void write_now(std::span<const std::byte> bytes) const;

  std::string label_;
  bool standard_output_ = false;
  bool overwrite_;
  int descriptor_ = -1;
  std::unique_ptr<TemporaryFile> temporary_;
  std::uint64_t written_bytes_ = 0;
  std::unique_ptr<WriteBehind> behind_;
};

}  // namespace floe::cli
