// The table of the chunks of a chunked leaf: docs/format/leaves.md.
#pragma once

#include <cstdint>
#include <span>

#include "core/bits.hpp"
#include "core/chunk.hpp"
#include "core/digest.hpp"
#include "core/word.hpp"

namespace floe::chunks {

inline constexpr std::size_t alignment = 16;  ///< Of payloads, so that devices may copy them in bulk.
inline constexpr std::uint64_t chunks_per_group = 256;
inline constexpr std::uint8_t mode_raw = 0, mode_coded = 1;
/// What chunks hold: the words, or the values and distances that a stage over all words makes of them.
inline constexpr std::uint8_t kind_content = 0, kind_history = 1;

constexpr std::uint64_t padded(std::uint64_t bytes) { return core::align_up(bytes, alignment); }

constexpr std::uint64_t table_bytes(std::uint64_t chunk_count, bool checksums) {
  const std::uint64_t groups = core::divide_up(chunk_count, chunks_per_group);
  return padded(8 * (groups == 0 ? 0 : groups - 1) + (checksums ? 7 : 3) * chunk_count);
}

/// A table in memory, for reading and writing. Owns nothing.
template <class Byte>
class ChunkTable {
 public:
  ChunkTable(std::span<Byte> table, std::uint64_t chunk_count, bool checksums)
      : table_(table), chunk_count_(chunk_count), checksums_(checksums) {}

  [[nodiscard]] std::uint64_t chunk_count() const { return chunk_count_; }
  [[nodiscard]] core::BlockEntry entry(std::uint64_t chunk) const {
    return {checksums_ ? core::load<std::uint32_t>(checksum_at(chunk)) : 0,
            core::load<std::uint16_t>(stored_bytes_at(chunk)), *mode_at(chunk)};
  }
  void set_entry(std::uint64_t chunk, const core::BlockEntry& entry) const {
    if (checksums_) core::store(checksum_at(chunk), entry.checksum);
    core::store(stored_bytes_at(chunk), entry.stored_bytes);
    *mode_at(chunk) = entry.mode;
  }
  /// Offset from the end of the table of the payload of chunk 256 · group; group 0 has none stored: it is 0.
  [[nodiscard]] std::uint64_t group_offset(std::uint64_t group) const {
    return group == 0 ? 0 : core::load<std::uint64_t>(table_.data() + 8 * (group - 1));
  }
  void set_group_offset(std::uint64_t group, std::uint64_t offset) const {
    if (group != 0) core::store(table_.data() + 8 * (group - 1), offset);
  }
  /// Offset from the end of the table of a chunk's payload; adds at most 255 sizes.
  [[nodiscard]] std::uint64_t payload_offset(std::uint64_t chunk) const {
    std::uint64_t offset = group_offset(chunk / chunks_per_group);
    for (std::uint64_t i = chunk / chunks_per_group * chunks_per_group; i < chunk; ++i)
      offset += padded(entry(i).stored_bytes);
    return offset;
  }
  /// Where the padding begins.
  [[nodiscard]] std::size_t end() const {
    return static_cast<std::size_t>(mode_at(chunk_count_) - table_.data());
  }

 private:
  [[nodiscard]] std::uint64_t stored_groups() const {
    return chunk_count_ == 0 ? 0 : core::divide_up(chunk_count_, chunks_per_group) - 1;
  }
  [[nodiscard]] Byte* checksum_at(std::uint64_t chunk) const {
    return table_.data() + 8 * stored_groups() + 4 * chunk;
  }
  [[nodiscard]] Byte* stored_bytes_at(std::uint64_t chunk) const {
    return checksum_at(checksums_ ? chunk_count_ : 0) + 2 * chunk;
  }
  [[nodiscard]] Byte* mode_at(std::uint64_t chunk) const { return stored_bytes_at(chunk_count_) + chunk; }

  std::span<Byte> table_;
  std::uint64_t chunk_count_;
  bool checksums_;
};

}  // namespace floe::chunks
