// A frame that arrives in pieces, back to the file that it was.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "floe/floe.hpp"
#include "frames/throwing_sink.hpp"
#include "input/byte_order.hpp"

namespace floe::cli {

/// Bytes per word of an array whose file, going by its prefix, has words of the other byte order; else 1.
std::size_t reversed_word_bytes(const FrameInfo& info);

class FrameRestorer {
 public:
  /// Gets the bytes of the file; may throw.
  using Take = std::function<void(const FrameInfo&, std::span<const std::byte>)>;

  /// `file` is what failures name, `file_bytes` its length if it is known.
  FrameRestorer(std::string file, std::optional<std::uint64_t> file_bytes, const DecodeOptions& options,
                Take take);
  FrameRestorer(const FrameRestorer&) = delete;
  FrameRestorer& operator=(const FrameRestorer&) = delete;

  /// The next bytes of the frame; the first ones must say that it is one. Throw a Failure, or what `take`
  /// threw.
  void write(std::span<const std::byte> bytes);
  void finish();
  /// Complete after finish().
  [[nodiscard]] const FrameInfo& info() const { return *reader_.info(); }

 private:
  void take(std::span<const std::byte> bytes);

  std::string file_;
  std::optional<std::uint64_t> file_bytes_;
  Take take_;
  ThrowingSink sink_;
  StreamReader reader_;
  std::size_t prefix_left_ = 0;  ///< Bytes of the prefix that are still to come.
  std::optional<ByteOrderFilter> byte_order_;
  bool has_begun_ = false;
};

}  // namespace floe::cli
