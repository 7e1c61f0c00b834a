// Sources of words: every node of a tree gives the next ones when asked. So a tree is decoded in pieces that
// stay in the cache, and a decoder's memory depends on its tree, not on the number of values that the bytes
// claim.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "core/word.hpp"

namespace floe::trees {

/// The words asked for at a time.
inline constexpr std::size_t piece_words = 2048;

class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  /// Writes the next `count` words to `words`, which is aligned for them. False if the bytes contradict the
  /// format; what was written is then unspecified. Precondition: the stream has as many words left.
  virtual bool read(void* words, std::size_t count) = 0;
};

/// A source whose words come in blocks of a fixed number. Whole blocks go straight to where they belong.
template <core::Word W, std::size_t block_words>
class BlockSource : public Source {
 public:
  bool read(void* words, std::size_t count) final {
    W* out = static_cast<W*>(words);
    while (true) {
      const std::size_t part = std::min(count, block_words - used_);
      std::copy_n(block_.data() + used_, part, out);
      used_ += part;
      out += part;
      count -= part;
      if (count == 0) return true;
      // All of the buffer is used.
      const std::size_t whole = count == remaining_ ? count : count - count % block_words;
      if (whole > 0 && !read_blocks(out, whole)) return false;
      remaining_ -= whole;
      out += whole;
      count -= whole;
      if (count == 0) return true;
      const auto filled = static_cast<std::size_t>(std::min<std::uint64_t>(block_words, remaining_));
      used_ = block_words - filled;  // a last, shorter block lies at the end of the buffer
      if (!read_blocks(block_.data() + used_, filled)) return false;
      remaining_ -= filled;
    }
  }

 protected:
  explicit BlockSource(std::uint64_t count) : remaining_(count) {}
  /// Writes the next blocks: `count` words, which is no multiple of block_words only at the end of the
  /// stream.
  virtual bool read_blocks(W* out, std::size_t count) = 0;

 private:
  std::uint64_t remaining_;  // not read
  std::size_t used_ = block_words;
  alignas(64) std::array<W, block_words> block_;
};

}  // namespace floe::trees
