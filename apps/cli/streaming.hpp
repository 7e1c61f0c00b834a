// How bytes flow from a source through the library into a sink that may fail.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "floe/floe.hpp"
#include "input_file.hpp"

namespace floe::cli {

/// A sink for the library whose function may throw: the exception waits here until the library has returned.
class ThrowingSink {
 public:
  explicit ThrowingSink(std::function<void(std::span<const std::byte>)> take) : take_(std::move(take)) {}
  ThrowingSink(const ThrowingSink&) = delete;
  ThrowingSink& operator=(const ThrowingSink&) = delete;

  /// For the library. This object must outlive it.
  [[nodiscard]] Sink sink();
  /// Call with what the library returned: throws what the function threw, else a Failure that names `file`
  /// unless all is well.
  void check(const Status& status, const std::string& file);

 private:
  std::function<void(std::span<const std::byte>)> take_;
  std::exception_ptr thrown_;
};

/// Reads a file on disk for the library at any place. A failed read waits here until the library has
/// returned.
class ThrowingReader {
 public:
  /// `source` must outlive it.
  explicit ThrowingReader(const InputFile& source) : source_(source) {}
  ThrowingReader(const ThrowingReader&) = delete;
  ThrowingReader& operator=(const ThrowingReader&) = delete;

  /// For the library. This object must outlive it.
  [[nodiscard]] ReadAt read_at();
  /// Call with what the library returned: throws the Failure of a read, else one that names the source unless
  /// all is well.
  void check(const Status& status);

 private:
  const InputFile& source_;
  std::exception_ptr thrown_;
};

/// A FrameReader on a file on disk whose failures name their cause. Refuses other sources.
class FileFrame {
 public:
  /// `source` must outlive it. Throws a Failure if it is no frame.
  explicit FileFrame(const InputFile& source);
  FileFrame(const FileFrame&) = delete;
  FileFrame& operator=(const FileFrame&) = delete;

  [[nodiscard]] const FrameInfo& info() const noexcept { return reader_->info(); }
  /// As those of FrameReader; throw a Failure.
  [[nodiscard]] ChunkCounts count_chunks();
  void decompress_slice(std::span<std::byte> out, Slice slice, const DecodeOptions& options);

 private:
  ThrowingReader bytes_;
  std::optional<FrameReader> reader_;
};

/// Reads `source` to its end. `begin` was read from it already. Fails if the file was changed meanwhile.
void for_each_block(InputFile& source, std::span<const std::byte> begin,
                    const std::function<void(std::span<const std::byte>)>& take);

}  // namespace floe::cli
