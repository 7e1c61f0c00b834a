// How is the caller's workspace divided? Sizes depend on the caller's numbers alone, not on the device.
#pragma once

#include <limits>
#include <optional>

#include "core/checked_math.hpp"
#include "cuda/job.hpp"

namespace floe::cuda {

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
  std::uint64_t counters, states, groups, entries, items, bytes;
  std::uint32_t chunk_capacity;
};
struct DecodeLayout {
  std::uint64_t counters, items, tasks, bytes;
  std::uint32_t chunk_capacity;
};

/// Chunks of `item_count` contents of `total_bytes` together; nothing if that is more than any device holds. `extra` per item: parts of
/// chunks at the ends.
inline std::optional<std::uint32_t> most_chunks(std::uint64_t total_bytes, std::uint64_t item_count, std::uint64_t extra) {
  if (total_bytes > largest_device_bytes || item_count > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  const std::uint64_t chunks = total_bytes / core::chunk_bytes + extra * item_count;
  if (chunks > std::numeric_limits<std::uint32_t>::max() / 2) return std::nullopt;
  return static_cast<std::uint32_t>(chunks);
}

inline std::optional<CompressLayout> compress_layout(std::uint64_t total_bytes, std::uint64_t item_count) {
  const auto chunks = most_chunks(total_bytes, item_count, 1);
  if (!chunks) return std::nullopt;
  WorkspaceParts parts;
  CompressLayout layout{};
  layout.counters = parts.add<Counters>(1);
  layout.states = parts.add<std::uint64_t>(*chunks);
  layout.groups = parts.add<ChunkGroup>(core::divide_up(*chunks, 32));
  layout.entries = parts.add<std::uint64_t>(*chunks);
  layout.items = parts.add<CompressItem>(item_count);
  layout.bytes = parts.bytes();
  layout.chunk_capacity = *chunks;
  return layout;
}

inline std::optional<DecodeLayout> decode_layout(std::uint64_t total_bytes, std::uint64_t item_count) {
  const auto chunks = most_chunks(total_bytes, item_count, 2);
  if (!chunks) return std::nullopt;
  WorkspaceParts parts;
  DecodeLayout layout{};
  layout.counters = parts.add<Counters>(1);
  layout.items = parts.add<DecodeItem>(item_count);
  layout.tasks = parts.add<ChunkTask>(*chunks);
  layout.bytes = parts.bytes();
  layout.chunk_capacity = *chunks;
  return layout;
}

}  // namespace floe::cuda
