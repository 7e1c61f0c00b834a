// Segments of a codec with a stage over the segment while they are compressed: what they hold, which kind of
// their chunks is stored, and where everything of them lies.
#pragma once

#include "gpu/chunks/compress_chunks.cuh"
#include "gpu/frames/geometry.hpp"
#include "gpu/history/history_kernels.hpp"
#include "gpu/history/match_words.hpp"

namespace floe::gpu {

/// A segment, from its number among all or a chunk of content in it.
struct HistoryContent {
  const CompressJob& job;
  CompressItem& item;
  FrameGeometry geometry;
  std::uint32_t segment;
  std::uint32_t first_chunk;  ///< Of its content, in the order of all items.

  __device__ HistoryContent(const CompressJob& of, CompressItem& array, std::uint32_t its_segment)
      : job(of),
        item(array),
        geometry{of.rules, array.content_bytes},
        segment(its_segment),
        first_chunk(array.first_chunk + its_segment * of.rules.chunks_per_segment) {}

  static __device__ HistoryContent of_chunk(const CompressJob& job, std::uint32_t chunk) {
    CompressItem& item = item_with(job, chunk, [](const CompressItem& i) { return i.first_chunk; });
    return {job, item, (chunk - item.first_chunk) / job.rules.chunks_per_segment};
  }
  static __device__ HistoryContent of_unit(const CompressJob& job, std::uint32_t unit) {
    CompressItem& item = job.items[item_of_unit(job, unit)];
    return {job, item, unit - item.first_unit};
  }

  __device__ bool exists() const { return segment < geometry.segment_count(); }
  __device__ std::uint32_t content_chunks() const { return geometry.segment_chunks(segment); }
  __device__ std::uint64_t content_bytes() const { return geometry.segment_bytes(segment); }
  __device__ std::uint32_t words() const { return static_cast<std::uint32_t>(content_bytes() / 8); }
  /// Where it begins in what there is one of for each word.
  __device__ std::uint64_t first_word() const { return std::uint64_t{first_chunk} * chunk_words; }
  __device__ std::uint32_t tile_records(std::uint32_t chunk) const {
    return geometry.chunk_bytes(chunk - item.first_chunk) / 8;
  }
  __device__ const std::uint8_t* content() const {
    return item.in + std::uint64_t{first_chunk - item.first_chunk} * core::chunk_bytes;
  }
  __device__ SegmentWords segment_words() const {
    return {content(), reinterpret_cast<std::uintptr_t>(item.in) % 8 == 0};
  }
  __device__ HistoryUnit& unit() const { return job.history.units[item.first_unit + segment]; }

  __device__ std::uint64_t coded_bytes(unsigned kind) const { return content_bytes() << kind; }
  __device__ std::uint32_t coded_chunks(unsigned kind) const {
    return static_cast<std::uint32_t>((coded_bytes(kind) + core::chunk_bytes - 1) / core::chunk_bytes);
  }
  /// Whether values and distances are stored, or the content. Known when all chunks of kind 1 are encoded.
  __device__ std::uint8_t kind() const {
    const std::uint64_t with_history =
        leaf_header_bytes(coded_chunks(1), job.rules.checksums) + unit().payload_bytes[1];
    return with_history < content_bytes() ? chunks::kind_history : chunks::kind_content;
  }
  __device__ std::uint64_t bytes() const {
    return segment_header_bytes(coded_chunks(kind()), job.rules.checksums) + unit().payload_bytes[kind()];
  }
};

/// As WrittenSegment, with history.
struct WrittenHistory : HistoryContent {
  using HistoryContent::HistoryContent;

  __device__ std::uint32_t chunk_count() const { return coded_chunks(kind()); }
  __device__ std::uint64_t payloads_before(std::uint32_t chunk) const {
    return chunk == chunk_count() ? unit().payload_bytes[kind()]
                                  : job.history.offsets[2 * first_chunk + chunk];
  }
  __device__ std::uint64_t entry(std::uint32_t chunk) const { return job.entries[2 * first_chunk + chunk]; }
  __device__ std::uint64_t offset() const { return unit().offset; }
  __device__ std::uint64_t footer_offset() const { return item.footer_offset; }
};

}  // namespace floe::gpu
