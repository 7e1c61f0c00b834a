// Makes the checksums of a changed frame right again, so that decoders get to see the change.
#pragma once

#include <algorithm>
#include <span>

#include "chunks/leaf.hpp"
#include "chunks/leaf_decoder.hpp"
#include "container/cell_format.hpp"
#include "container/compact_frame.hpp"
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
    if (frame_.size() >= container::compact_begin_bytes && container::is_compact(frame_))
      return reseal_compact();
    if (frame_.size() < container::min_header_bytes) return;
    const std::uint64_t header_bytes = get<std::uint32_t>(container::header_at::header_bytes);
    if (header_bytes < container::min_header_bytes || header_bytes > frame_.size()) return;
    checksums_ =
        (get<std::uint32_t>(container::header_at::required_features) & container::feature_checksums) != 0;
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

  void reseal_compact() { put(frame_.size() - 4, core::crc32c(frame_.first(frame_.size() - 4))); }

  /// The length of the segment, as far as its entries make sense; 0 if its header reaches beyond the frame.
  std::uint64_t reseal_segment(std::uint64_t at) {
    const std::uint64_t header_bytes = get<std::uint32_t>(at + container::segment_at::header_bytes);
    if (header_bytes < container::fixed_segment_bytes + 4 || header_bytes > frame_.size() - at) return 0;
    put(at + container::segment_at::header_crc, header_crc_);
    const std::uint64_t payload_bytes =
        reseal_streams(frame_.subspan(at, header_bytes - 4), frame_.subspan(at + header_bytes));
    put(at + header_bytes - 4, core::crc32c(frame_.subspan(at, header_bytes - 4)));
    return header_bytes + payload_bytes;
  }

  /// The digests of all streams, as far as their entries make sense; returns their bytes. `rest` is all that
  /// follows the header.
  std::uint64_t reseal_streams(std::span<std::uint8_t> header, std::span<std::uint8_t> rest) {
    const auto number = [&](std::uint64_t offset) { return core::load<std::uint32_t>(&header[offset]); };
    std::uint64_t at =
        container::fixed_segment_bytes + std::uint64_t{number(container::segment_at::fields_bytes)};
    const auto flags = number(container::segment_at::flags);
    std::uint64_t streams = ((flags & 2) != 0 ? 3u : 0u) + ((flags & 4) != 0 ? 1u : 0u), bytes = 0;
    for (std::uint32_t columns = number(container::segment_at::column_count);;) {
      for (; streams > 0; --streams, at += container::stream_entry_bytes) {
        if (at > header.size() || header.size() - at < container::stream_entry_bytes) return bytes;
        const auto stored = core::load<std::uint64_t>(&header[at + container::stream_at::stored_bytes]);
        if (stored > rest.size() || container::padded(stored) > rest.size()) return bytes;
        const std::uint64_t digest = reseal_stream(rest.first(stored), static_cast<DType>(header[at]),
                                                   number(at + container::stream_at::count));
        core::store(&header[at + container::stream_at::digest], digest);
        digest_.add(digest);
        rest = rest.subspan(container::padded(stored));
        bytes += container::padded(stored);
      }
      if (columns-- == 0 || at > header.size() || header.size() - at < container::column_entry_bytes)
        return bytes;
      core::ByteReader reader(header.subspan(at));
      container::CellFormat format;
      if (!container::get_cell_format(reader, format).ok()) return bytes;
      streams = container::stream_count(format);
      at += container::column_entry_bytes;
    }
  }

  /// The checksums of a stream's chunks; returns its digest.
  std::uint64_t reseal_stream(std::span<std::uint8_t> stream, DType type, std::uint64_t count) {
    const auto leaf = chunks::leaf_of_front(stream, size_of(type));
    if (!leaf) return chunks::digest_of_bytes(stream, checksums_);
    const std::uint8_t kind = stream[chunks::kind_at];
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
    put(end - length + container::footer_at::header_crc, header_crc_);
    put(end - length + container::footer_at::digest, digest_.value());
    put(end - 8, core::crc32c(frame_.subspan(end - length, length - 8)));
  }

  std::span<std::uint8_t> frame_;
  bool checksums_ = false;
  std::uint32_t header_crc_ = 0;
  core::Digest digest_;
};

inline void reseal(std::span<std::uint8_t> frame) { Resealer(frame).reseal(); }

}  // namespace floe::test
