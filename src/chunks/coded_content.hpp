// What is cut into chunks: content itself, or what a stage over the segment makes of it, which is made chunk
// by chunk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "chunks/registry/codec_entry.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"
#include "core/memory_overlap.hpp"

namespace floe::chunks {

class CodedContent {
 public:
  explicit CodedContent(std::span<const std::uint8_t> content) : content_(content), size_(content.size()) {}
  /// The values of the words of `content`, and then their distances to their matches.
  CodedContent(std::span<const std::uint8_t> content, std::span<const std::uint32_t> distances,
               decltype(registry::SegmentHistory::coded_words) coded_words)
      : content_(content), size_(2 * content.size()), distances_(distances), coded_words_(coded_words) {}

  [[nodiscard]] const std::uint8_t* data() const { return content_.data(); }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t chunk_count() const { return core::divide_up(size_, core::chunk_bytes); }

  /// A chunk, in the content or, if it has to be made, in `memory`, which has core::chunk_bytes bytes,
  /// aligned to 8.
  [[nodiscard]] std::span<const std::uint8_t> chunk(std::uint64_t index,
                                                    std::span<std::uint8_t> memory) const {
    const std::uint64_t begin = index * core::chunk_bytes;
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(core::chunk_bytes, size_ - begin));
    if (coded_words_ == nullptr) return content_.subspan(begin, bytes);
    coded_words_(content_, distances_, begin / 8,
                 {reinterpret_cast<std::uint64_t*>(memory.data()), bytes / 8});
    return memory.first(bytes);
  }

  /// Lets `overlap` fetch what a chunk is made of.
  void expect(std::uint64_t index, core::MemoryOverlap& overlap) const {
    overlap.expect(content_.subspan(std::min<std::uint64_t>(index * core::chunk_bytes, content_.size())));
  }

 private:
  std::span<const std::uint8_t> content_;
  std::uint64_t size_;
  std::span<const std::uint32_t> distances_;
  decltype(registry::SegmentHistory::coded_words) coded_words_ = nullptr;
};

}  // namespace floe::chunks
