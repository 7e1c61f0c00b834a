// The parts of the caller's workspace. Sizes depend on the caller's numbers alone, not on the device.
#pragma once

#include <limits>
#include <optional>
#include <type_traits>

#include "core/bits.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/history/match_sort.hpp"

namespace floe::gpu {

/// Parts of a workspace, one behind the other, each at a multiple of 256.
class WorkspaceParts {
 public:
  template <class T>
  std::uint64_t add(std::uint64_t count) {
    const std::uint64_t offset = bytes_;
    bytes_ += core::align_up(count * sizeof(T), 256);
    return offset;
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

struct CompressLayout {
  std::uint64_t counters, states, entries, items, bytes;
  std::uint64_t units, digit_sums, distances, slots, offsets;  ///< Only with history.
  std::uint32_t chunk_capacity;
};
struct DecodeLayout {
  std::uint64_t counters, items, tasks, bytes;
  std::uint64_t segments, pointers, tile_segments, tiles_left, scratch;  ///< Only with history.
  std::uint32_t chunk_capacity, task_capacity, tile_capacity, scratch_capacity;
};

/// Chunks of `item_count` contents of `total_bytes` together; nothing if that is more than any device holds.
/// `extra` per item: parts of chunks at the ends.
inline std::optional<std::uint32_t> max_chunks(std::uint64_t total_bytes, std::uint64_t item_count,
                                               std::uint64_t extra) {
  if (total_bytes > max_device_bytes || item_count > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  const std::uint64_t chunks = total_bytes / core::chunk_bytes + extra * item_count;
  if (chunks > std::numeric_limits<std::uint32_t>::max() / 2) return std::nullopt;
  return static_cast<std::uint32_t>(chunks);
}

/// Of frames whose segments have trees: what stands before the workspace of encoders or decoders.
struct TreeLayout {
  std::uint64_t counters, items, streams, bytes;
  std::uint64_t encoded, facts;  ///< Only for encoders.
  std::uint64_t unit_capacity;
};
/// `segments_beside` per item: parts of segments at the ends.
template <class Item, class Stream>
std::optional<TreeLayout> tree_layout(std::uint64_t segment_bytes, std::uint64_t total_bytes,
                                      std::uint64_t item_count, std::uint64_t segments_beside) {
  if (!max_chunks(total_bytes, item_count, 1)) return std::nullopt;
  WorkspaceParts parts;
  TreeLayout layout{};
  layout.unit_capacity = total_bytes / segment_bytes + segments_beside * item_count;
  layout.counters = parts.add<Counters>(1);
  layout.items = parts.add<Item>(item_count);
  layout.streams = parts.add<Stream>(layout.unit_capacity);
  layout.encoded = parts.add<ItemResult>(std::is_same_v<Item, CompressItem> ? item_count : 0);
  layout.facts = parts.add<StreamFacts>(std::is_same_v<Item, CompressItem> ? layout.unit_capacity : 0);
  layout.bytes = parts.bytes();
  return layout;
}

inline std::optional<CompressLayout> compress_layout(std::uint64_t total_bytes, std::uint64_t item_count,
                                                     bool history) {
  const auto chunks = max_chunks(total_bytes, item_count, 1);
  if (!chunks) return std::nullopt;
  const std::uint64_t count = *chunks;
  WorkspaceParts parts;
  CompressLayout layout{};
  layout.counters = parts.add<Counters>(1);
  if (history) {
    layout.units = parts.add<HistoryUnit>(count);
    layout.digit_sums =
        parts.add<std::uint32_t>(digits * (count / span_tiles + count));  // segments may have one chunk each
    layout.distances = parts.add<std::uint32_t>(chunk_words * count);
    layout.slots = parts.add<std::uint8_t>(2 * core::chunk_bytes * count);
    layout.offsets = parts.add<std::uint32_t>(2 * count);
  } else {
    layout.states = parts.add<std::uint64_t>(count);
  }
  layout.entries = parts.add<std::uint64_t>(history ? 2 * count : count);
  layout.items = parts.add<CompressItem>(item_count);
  layout.bytes = parts.bytes();
  layout.chunk_capacity = *chunks;
  return layout;
}

/// `slice_segment_bytes`: of the largest segment with history that a slice may want a part of.
inline std::optional<DecodeLayout> decode_layout(std::uint64_t total_bytes, std::uint64_t item_count,
                                                 bool history, std::uint64_t slice_segment_bytes) {
  auto chunks = max_chunks(total_bytes, item_count, 2);
  if (!chunks) return std::nullopt;
  WorkspaceParts parts;
  DecodeLayout layout{};
  layout.counters = parts.add<Counters>(1);
  layout.items = parts.add<DecodeItem>(item_count);
  layout.chunk_capacity = *chunks;
  layout.task_capacity = *chunks;
  if (history) {
    // A slice has at most two segments of which it wants a part.
    const std::uint64_t scratch = 2 * core::divide_up(slice_segment_bytes, core::chunk_bytes),
                        tiles = *chunks + scratch;
    if (tiles > std::numeric_limits<std::uint32_t>::max() / 2) return std::nullopt;
    layout.scratch_capacity = static_cast<std::uint32_t>(scratch);
    layout.tile_capacity = static_cast<std::uint32_t>(tiles);
    layout.task_capacity = static_cast<std::uint32_t>(2 * tiles);
    layout.segments = parts.add<HistorySegment>(tiles);
    layout.pointers = parts.add<std::uint32_t>(chunk_words * tiles);
    layout.tile_segments = parts.add<std::uint32_t>(tiles);
    layout.tiles_left = parts.add<std::uint32_t>(tiles);
    layout.scratch = parts.add<std::uint8_t>(core::chunk_bytes * scratch);
  }
  layout.tasks = parts.add<ChunkTask>(layout.task_capacity);
  layout.bytes = parts.bytes();
  return layout;
}

}  // namespace floe::gpu
