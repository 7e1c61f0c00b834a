// Sources of words: every node of a tree gives the next ones when asked. So a tree is decoded in pieces that
// stay in the cache, and a decoder's memory depends on its tree, not on the number of values that the bytes
// claim.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "core/word.hpp"
#include "encodings/source_memory.hpp"

namespace floe::trees {

/// The words asked for at a time.
inline constexpr std::size_t piece_words = 4096;

class Source {
  static constexpr std::size_t usual_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  static void* operator new(std::size_t bytes) { return SourceMemory::allocate(bytes, usual_alignment); }
  static void operator delete(void* memory) noexcept { SourceMemory::free(memory, usual_alignment); }
  static void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return SourceMemory::allocate(bytes, static_cast<std::size_t>(alignment));
  }
  static void operator delete(void* memory, std::align_val_t alignment) noexcept {
    SourceMemory::free(memory, static_cast<std::size_t>(alignment));
  }
  /// Writes the next `count` words to `words`, which is aligned for them. False if the bytes contradict the
  /// format; what was written is then unspecified. Precondition: the stream has as many words left.
  virtual bool read(void* words, std::size_t count) = 0;
  /// How many words come before those that lie in whole blocks: who reads so many more at first does not have
  /// blocks taken apart.
  [[nodiscard]] virtual std::size_t words_before_blocks() const { return 0; }
  /// How many words to ask for where all are read: as many as stay in a cache from node to node.
  [[nodiscard]] virtual std::size_t words_at_once() const { return piece_words; }
  /// Asks for words as `sortable` turns them into floats, before any is read. False if the source cannot do
  /// that with what it does besides.
  [[nodiscard]] virtual bool turn_words() { return false; }
  /// Passes over the next `count` words, as if they were read. What is passed over is checked as far as it
  /// has to be looked at.
  virtual bool skip(std::uint64_t count) {
    alignas(64) std::array<std::uint64_t, piece_words> dropped;  // of the widest words
    for (std::size_t part = 0; count > 0; count -= part) {
      part = static_cast<std::size_t>(std::min<std::uint64_t>(count, piece_words));
      if (!read(dropped.data(), part)) return false;
    }
    return true;
  }
};

/// A source whose words come in blocks of a fixed number. Whole blocks go straight to where they belong.
template <core::Word W, std::size_t block_words>
class BlockSource : public Source {
 public:
  bool read(void* words, std::size_t count) final {
    W* out = static_cast<W*>(words);
    out += copy_from_buffer(out, count);
    count -= static_cast<std::size_t>(out - static_cast<W*>(words));
    if (count == 0) return true;
    const std::size_t whole = static_cast<std::size_t>(in_whole_blocks(count));
    if (whole > 0 && !read_blocks(out, whole)) return false;
    remaining_ -= whole;
    if (whole == count) return true;
    if (!fill_buffer()) return false;
    copy_from_buffer(out + whole, count - whole);
    return true;
  }

  bool skip(std::uint64_t count) final {
    const std::uint64_t buffered = std::min<std::uint64_t>(count, block_words - used_);
    used_ += static_cast<std::size_t>(buffered);
    count -= buffered;
    if (count == 0) return true;
    const std::uint64_t whole = in_whole_blocks(count);
    if (whole > 0 && !skip_blocks(whole)) return false;
    remaining_ -= whole;
    if (whole == count) return true;
    if (!fill_buffer()) return false;
    used_ += static_cast<std::size_t>(count - whole);
    return true;
  }

 protected:
  explicit BlockSource(std::uint64_t count) : remaining_(count) {}
  /// Writes the next blocks: `count` words, which is no multiple of block_words only at the end of the
  /// stream.
  virtual bool read_blocks(W* out, std::size_t count) = 0;
  /// Passes over the next blocks: `count` words.
  virtual bool skip_blocks(std::uint64_t count) {
    for (std::size_t part = 0; count > 0; count -= part) {
      part = static_cast<std::size_t>(std::min<std::uint64_t>(count, block_words));
      if (!read_blocks(block_.data(), part)) return false;
    }
    return true;
  }

 private:
  /// Returns how many words there were.
  std::size_t copy_from_buffer(W* out, std::size_t count) {
    const std::size_t part = std::min(count, block_words - used_);
    std::copy_n(block_.data() + used_, part, out);
    used_ += part;
    return part;
  }
  /// Of the next `count` words those in whole blocks, or in the last one.
  [[nodiscard]] std::uint64_t in_whole_blocks(std::uint64_t count) const {
    return count == remaining_ ? count : count - count % block_words;
  }
  bool fill_buffer() {
    const auto filled = static_cast<std::size_t>(std::min<std::uint64_t>(block_words, remaining_));
    used_ = block_words - filled;  // a last, shorter block lies at the end of the buffer
    remaining_ -= filled;
    return read_blocks(block_.data() + used_, filled);
  }

  std::uint64_t remaining_;  // not read
  std::size_t used_ = block_words;
  alignas(64) std::array<W, block_words> block_;
};

}  // namespace floe::trees
