// A frame on disk, read at any position.
#pragma once

#include <exception>
#include <optional>

#include "floe/floe.hpp"
#include "input/input_file.hpp"

namespace floe::cli {

/// A Reader on a file on disk whose failures name their cause.
class FileFrame {
 public:
  /// `source` must outlive it. Throws a Failure if it is no frame, or is not on disk.
  FileFrame(const InputFile& source, std::uint64_t memory_limit_bytes);
  /// Of a part of a file. `label` is what failures name.
  FileFrame(const InputFile& source, std::uint64_t memory_limit_bytes, std::string label,
            std::uint64_t offset, std::uint64_t bytes);
  FileFrame(const FileFrame&) = delete;
  FileFrame& operator=(const FileFrame&) = delete;

  [[nodiscard]] const Reader& reader() const noexcept { return *reader_; }
  [[nodiscard]] const FrameInfo& info() const noexcept { return reader_->info(); }
  [[nodiscard]] StoredSegment segment(std::uint64_t index);
  /// Call with what the reader returned: throws the Failure of a read, else one that names the source unless
  /// all is well.
  void check(const Status& status);

 private:
  const InputFile& source_;
  std::string label_;
  std::uint64_t bytes_;
  std::optional<Reader> reader_;
  std::exception_ptr thrown_;
};

}  // namespace floe::cli
