// Makes the checksums of a changed frame right again, so that decoders get to see the change.
#pragma once

#include <algorithm>
#include <span>

#include "chunks/leaf.hpp"
#include "chunks/leaf_decoder.hpp"
#include "container/cell_format.hpp"
#include "container/layout.hpp"
#include "core/chunk_checksum.hpp"
#include "core/crc32c.hpp"
#include "core/digest.hpp"
#include "floe/floe.hpp"

namespace floe::test {

/// The parts of a frame as its bytes claim them, as far as they lie in the frame. Trusts nothing.
class Resealer {
 public:
  explicit Resealer(std::span<std::uint8_t> frame) : frame_(frame) {}

  void reseal() {
    if (frame_.size() < container::min_header_bytes) return;
    const std::uint64_t header_bytes = get<std::uint32_t>(24);
    if (header_bytes < container::min_header_bytes || header_bytes > frame_.size()) return;
    checksums_ = (get<std::uint32_t>(8) & container::feature_checksums) != 0;
    put(header_bytes - 4, core::crc32c(frame_.first(header_bytes - 4)));
    header_crc_ = get<std::uint32_t>(header_bytes - 4);
    std::uint64_t at = header_bytes;
    while (frame_.size() - at >= container::fixed_segment_bytes &&
           get<std::uint32_t>(at) == container::segment_magic) {
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
    const std::uint64_t header_bytes = get<std::uint32_t>(at + 4),
                        payload_bytes = get<std::uint64_t>(at + 24);
    const std::uint64_t room = frame_.size() - at;
    if (header_bytes < container::fixed_segment_bytes + 4 || header_bytes > room ||
        payload_bytes > room - header_bytes)
      return 0;
    put(at + 40, header_crc_);
    reseal_streams(frame_.subspan(at, header_bytes - 4), frame_.subspan(at + header_bytes, payload_bytes));
    put(at + header_bytes - 4, core::crc32c(frame_.subspan(at, header_bytes - 4)));
    return header_bytes + payload_bytes;
  }

  /// The digests of all streams, as far as their entries make sense.
  void reseal_streams(std::span<std::uint8_t> header, std::span<std::uint8_t> payload) {
    std::uint64_t at = container::fixed_segment_bytes + std::uint64_t{core::load<std::uint32_t>(&header[52])};
    const auto flags = core::load<std::uint32_t>(&header[36]);
    std::uint64_t streams = ((flags & 2) != 0 ? 3u : 0u) + ((flags & 4) != 0 ? 1u : 0u);
    for (std::uint32_t columns = core::load<std::uint32_t>(&header[48]);;) {
      for (; streams > 0; --streams, at += container::stream_entry_bytes) {
        if (at > header.size() || header.size() - at < container::stream_entry_bytes) return;
        const std::uint64_t stored = core::load<std::uint64_t>(&header[at + 8]);
        if (stored > payload.size() || container::padded(stored) > payload.size()) return;
        const std::uint64_t digest = reseal_stream(payload.first(stored), static_cast<DType>(header[at]),
                                                   core::load<std::uint32_t>(&header[at + 4]));
        core::store(&header[at + 16], digest);
        digest_.add(digest);
        payload = payload.subspan(container::padded(stored));
      }
      if (columns-- == 0 || at > header.size() || header.size() - at < container::column_entry_bytes) return;
      core::ByteReader reader(header.subspan(at));
      container::CellFormat format;
      if (!container::get_cell_format(reader, format).ok()) return;
      streams = container::stream_count(format);
      at += container::column_entry_bytes;
    }
  }

  /// The checksums of a stream's chunks; returns its digest.
  std::uint64_t reseal_stream(std::span<std::uint8_t> stream, DType type, std::uint64_t count) {
    const auto leaf = chunks::leaf_of_front(stream, size_of(type));
    if (!leaf) return chunks::digest_of_bytes(stream, checksums_);
    const std::uint8_t kind = stream[chunks::front_bytes - chunks::kind_bytes];
    const std::uint64_t chunk_count = chunks::chunk_count_of(count * size_of(type), kind),
                        table_bytes = chunks::table_bytes(chunk_count, checksums_);
    core::Digest digest;
    digest.add(chunks::block_of(stream.first(chunks::front_bytes), checksums_));
    if (kind > chunks::kind_history || stream.size() - chunks::front_bytes < table_bytes) return 0;
    const chunks::ChunkTable<std::uint8_t> table(stream.subspan(chunks::front_bytes, table_bytes),
                                                 chunk_count, checksums_);
    std::span<const std::uint8_t> payloads = stream.subspan(chunks::front_bytes + table_bytes);
    for (std::uint64_t chunk = 0; chunk < chunk_count; ++chunk) {
      core::BlockEntry entry = table.entry(chunk);
      const std::uint64_t padded = std::min<std::uint64_t>(
          {chunks::padded(entry.stored_bytes), payloads.size() / 16 * 16, core::chunk_bytes});
      if (checksums_) entry.checksum = core::chunk_checksum(payloads.data(), padded);
      table.set_entry(chunk, entry);
      digest.add(entry);
      payloads = payloads.subspan(padded);
    }
    return digest.value();
  }

  void reseal_footer() {
    if (frame_.size() < container::fixed_footer_bytes) return;
    const std::uint64_t end = frame_.size(), length = get<std::uint64_t>(end - container::footer_end_bytes);
    if (length < container::fixed_footer_bytes || length > end) return;
    put(end - length + 8, header_crc_);
    put(end - length + 32, digest_.value());
    put(end - 8, core::crc32c(frame_.subspan(end - length, length - 8)));
  }

  std::span<std::uint8_t> frame_;
  bool checksums_ = false;
  std::uint32_t header_crc_ = 0;
  core::Digest digest_;
};

inline void reseal(std::span<std::uint8_t> frame) { Resealer(frame).reseal(); }

}  // namespace floe::test
