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

/// A source whose words come in blocks of a fixed number.
template <core::Word W, std::size_t block_words>
class BlockSource : public Source {
 public:
  bool read(void* words, std::size_t count) final {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      if (used_ == block_words && count >= block_words) {
        if (!read_block(out, block_words)) return false;
        out += block_words;
        count -= block_words;
        remaining_ -= block_words;
        continue;
      }
      if (used_ == block_words) {
        const auto filled = static_cast<std::size_t>(std::min<std::uint64_t>(block_words, remaining_));
        used_ = block_words - filled;  // a last, shorter block lies at the end of the buffer
        if (!read_block(block_.data() + used_, filled)) return false;
        remaining_ -= filled;
      }
      const std::size_t part = std::min(count, block_words - used_);
      std::copy_n(block_.data() + used_, part, out);
      used_ += part;
      out += part;
      count -= part;
    }
    return true;
  }

 protected:
  explicit BlockSource(std::uint64_t count) : remaining_(count) {}
  /// Writes the next block: `count` words, fewer than block_words only at the end of the stream.
  virtual bool read_block(W* out, std::size_t count) = 0;

 private:
  std::uint64_t remaining_;
  std::size_t used_ = block_words;
  alignas(64) std::array<W, block_words> block_;
};

}  // namespace floe::trees
