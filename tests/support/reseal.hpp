// Makes the checksums of a changed frame right again, so that decoders get to see the change.
#pragma once

#include <algorithm>
#include <span>

#include "container/digest.hpp"
#include "container/layout.hpp"
#include "container/segment_head.hpp"
#include "core/chunk_checksum.hpp"
#include "core/crc32c.hpp"

namespace floe::test {

/// The parts of a frame as its bytes claim them, as far as they lie in the frame. Trusts nothing.
class Resealer {
 public:
  explicit Resealer(std::span<std::uint8_t> frame) : frame_(frame) {}

  void reseal() {
    if (frame_.size() < format::smallest_header_bytes) return;
    const std::uint64_t header_bytes = get<std::uint32_t>(20);
    if (header_bytes < format::smallest_header_bytes || header_bytes > frame_.size()) return;
    checksums_ = (get<std::uint32_t>(8) & format::feature_checksums) != 0;
    put(header_bytes - 4, core::crc32c(frame_.first(header_bytes - 4)));
    header_crc_ = get<std::uint32_t>(header_bytes - 4);
    std::uint64_t at = header_bytes;
    while (frame_.size() - at >= format::fixed_segment_head_bytes &&
           get<std::uint32_t>(at) == format::segment_magic) {
      const std::uint64_t segment_bytes = reseal_segment(at);
      if (segment_bytes == 0) break;
      at += segment_bytes;
    }
    reseal_footer();
  }

 private:
  template <core::Word W>
  [[nodiscard]] W get(std::uint64_t at) const {
    return core::load<W>(frame_.data() + at);
  }
  template <core::Word W>
  void put(std::uint64_t at, W value) {
    core::store(frame_.data() + at, value);
  }

  /// The length of the segment; 0 if it reaches beyond the frame.
  std::uint64_t reseal_segment(std::uint64_t at) {
    const std::uint64_t head_bytes = get<std::uint32_t>(at + 4), payload_bytes = get<std::uint64_t>(at + 24),
                        chunks = get<std::uint32_t>(at + 32);
    const std::uint64_t room = frame_.size() - at;
    if (head_bytes < format::fixed_segment_head_bytes + 4 || head_bytes > room ||
        payload_bytes > room - head_bytes)
      return 0;
    put(at + 40, header_crc_);
    const std::uint64_t fields_bytes = get<std::uint32_t>(at + 44);
    if (chunks > 0 && format::segment_head_bytes(chunks, checksums_, fields_bytes) <= head_bytes) {
      reseal_chunks(frame_.subspan(at, head_bytes + payload_bytes), head_bytes, chunks, fields_bytes);
    }
    put(at + head_bytes - 4, core::crc32c(frame_.subspan(at, head_bytes - 4)));
    return head_bytes + payload_bytes;
  }

  void reseal_chunks(std::span<std::uint8_t> segment, std::uint64_t head_bytes, std::uint64_t chunks,
                     std::uint64_t fields_bytes) {
    const format::ChunkTable<std::uint8_t> table(segment.first(head_bytes), chunks, checksums_, fields_bytes);
    std::span<const std::uint8_t> payloads = segment.subspan(head_bytes);
    for (std::uint64_t chunk = 0; chunk < chunks && checksums_; ++chunk) {
      format::ChunkEntry entry = table.entry(chunk);
      const std::uint64_t padded = std::min<std::uint64_t>(
          {format::padded(entry.stored_bytes), payloads.size() / 16 * 16, core::chunk_bytes});
      entry.checksum = core::chunk_checksum(payloads.data(), padded);
      table.set_entry(chunk, entry);
      digest_.add(entry);
      payloads = payloads.subspan(padded);
    }
  }

  void reseal_footer() {
    if (frame_.size() < format::fixed_footer_bytes) return;
    const std::uint64_t end = frame_.size(), length = get<std::uint64_t>(end - format::footer_end_bytes);
    if (length < format::fixed_footer_bytes || length > end) return;
    if (checksums_) put(end - length + 24, digest_.value());
    put(end - 8, core::crc32c(frame_.subspan(end - length, length - 8)));
  }

  std::span<std::uint8_t> frame_;
  bool checksums_ = false;
  std::uint32_t header_crc_ = 0;
  format::Digest digest_;
};

inline void reseal(std::span<std::uint8_t> frame) { Resealer(frame).reseal(); }

}  // namespace floe::test
