// Where a command's bytes come from: a named file or standard input.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "floe/floe.hpp"
#include "input/unpacker.hpp"

namespace floe::cli {

/// Bytes per read of a stream: large enough that system calls cost nothing, small beside a segment.
inline constexpr std::size_t read_bytes = std::size_t{4} << 20;

/// What a file holds that is packed: a gzip file as a whole, or a part of a ZIP file.
struct PackedPart {
  Packing packing = Packing::gzip;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> packed_bytes = {};  ///< Otherwise up to the end of the file.
  std::optional<PackedContent> content = {};
  std::string label = {};  ///< Otherwise that of the file.
};

/// An open source. Every failure is thrown as a Failure that names it.
class InputFile {
 public:
  /// `name` "-" is standard input. Directories are refused; so are fifos and devices unless `allow_special`.
  static InputFile open(const std::string& name, bool allow_special);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  /// From now on it reads what a part of it holds. Before anything else was read, of a file on disk.
  void unpack(const PackedPart& part);

  /// What messages call it: its name, or "(standard input)".
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  [[nodiscard]] bool is_standard_input() const noexcept { return standard_input_; }
  [[nodiscard]] bool is_terminal() const noexcept;
  [[nodiscard]] bool is_packed() const noexcept { return unpacker_ != nullptr; }
  [[nodiscard]] const struct stat& attributes() const noexcept { return attributes_; }
  /// How many bytes read() will give in all, if that is known beforehand.
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const noexcept;

  /// The next bytes: as many as `bytes` holds, fewer only at the end of the source. If `stop_descriptor` is
  /// given and becomes readable, a pipe or a device is not waited for any longer.
  std::size_t read(std::span<std::byte> bytes, int stop_descriptor = -1);
  /// What is left, but at most `limit_bytes`.
  std::vector<std::byte> read_up_to(std::uint64_t limit_bytes);
  /// All that is left; more than `limit_bytes` is a failure.
  std::vector<std::byte> read_all(std::uint64_t limit_bytes);
  /// Call after the last read: fails if a regular file's size or modification time differs from what it was
  /// when it was opened.
  void check_unchanged() const;

  /// Fills `bytes` from any position. Returns false if the file ends before.
  [[nodiscard]] bool read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// The length of a file on disk. Refuses other sources.
  [[nodiscard]] std::uint64_t file_bytes() const;

 private:
  InputFile(int descriptor, std::string label, bool standard_input);

  /// Where reading ends in the file, if that is known.
  [[nodiscard]] std::optional<std::uint64_t> end_of_file() const noexcept;
  std::size_t read_stored(std::span<std::byte> bytes, int stop_descriptor);

  int descriptor_;
  std::string label_;
  bool standard_input_;
  struct stat attributes_ {};
  std::uint64_t position_ = 0;  ///< In the file.
  std::optional<std::uint64_t> part_end_ = {};
  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace floe::cli
