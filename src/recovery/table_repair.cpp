#include "recovery/table_repair.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace floe::recovery {
namespace {

using namespace chunks;
using Front = std::array<std::uint8_t, front_bytes>;

/// Fronts that a stream of words of this width can have.
std::vector<Front> possible_fronts(std::size_t word_bytes) {
  std::vector<Front> fronts;
  for (const registry::CodecEntry& codec : registry::all_codecs()) {
    if (codec.word_bits != 8 * word_bytes) continue;
    for (std::uint32_t dimension = 1; dimension <= (codec.takes_dimensionality ? 32U : 1U); ++dimension) {
      fronts.push_back(front_of({&codec, dimension}, kind_content));
      if (codec.has_history) fronts.push_back(front_of({&codec, dimension}, kind_history));
    }
  }
  return fronts;
}

class TableMender {
 public:
  TableMender(const CheckedLeaf& leaf, std::span<std::uint8_t> bytes)
      : leaf_(leaf),
        bytes_(bytes),
        payloads_(bytes.subspan(static_cast<std::size_t>(leaf.payloads_offset))),
        table_(bytes.first(static_cast<std::size_t>(leaf.payloads_offset)).subspan(front_bytes),
               leaf.chunk_count, leaf.stream.checksums),
        payload_bytes_(leaf.stream.stored_bytes - leaf.payloads_offset) {}

  bool mend() {
    std::fill(bytes_.begin() + kind_at + 1, bytes_.begin() + front_bytes, std::uint8_t{0});
    const auto padding =
        bytes_.first(static_cast<std::size_t>(leaf_.payloads_offset)).subspan(front_bytes + table_.end());
    std::fill(padding.begin(), padding.end(), std::uint8_t{0});
    const core::BlockEntry front = block_of(bytes_.first(front_bytes), leaf_.stream.checksums);
    digest_ = core::digest_term(0, front.checksum, front.stored_bytes, front.mode);
    for (std::uint64_t chunk = 0; chunk < leaf_.chunk_count; ++chunk) {
      digest_ += term(chunk, table_.entry(chunk));
      stored_bytes_ += chunks::padded(table_.entry(chunk).stored_bytes);
    }
    if (is_proven(digest_, stored_bytes_)) return write_offsets();
    std::uint64_t begin = 0;
    for (std::uint64_t chunk = 0; chunk < leaf_.chunk_count; ++chunk) {
      if (mend_entry(chunk, begin)) return write_offsets();
      begin += chunks::padded(table_.entry(chunk).stored_bytes);
    }
    return false;
  }

 private:
  static std::uint64_t term(std::uint64_t chunk, const core::BlockEntry& entry) {
    return core::digest_term(chunk + 1, entry.checksum, entry.stored_bytes, entry.mode);  // behind the front
  }
  [[nodiscard]] bool is_proven(std::uint64_t digest, std::uint64_t stored_bytes) const {
    return digest == leaf_.stream.digest && stored_bytes == payload_bytes_;
  }

  /// Its size is what the others leave, its checksum that of the bytes there.
  bool mend_entry(std::uint64_t chunk, std::uint64_t begin) {
    const core::BlockEntry found = table_.entry(chunk);
    const std::uint64_t others = stored_bytes_ - chunks::padded(found.stored_bytes);
    if (others > payload_bytes_ || begin > payload_bytes_) return false;
    const std::uint64_t bytes = payload_bytes_ - others;
    if (bytes == 0 || bytes > core::chunk_bytes || bytes > payload_bytes_ - begin ||
        bytes % chunks::alignment != 0)
      return false;
    const auto payload = payloads_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(bytes));
    core::BlockEntry entry = block_of(payload, leaf_.stream.checksums);
    const std::uint64_t without = digest_ - term(chunk, found);
    for (std::uint64_t unused = 0; unused < chunks::alignment; ++unused) {
      entry.stored_bytes = static_cast<std::uint16_t>(bytes - unused);
      entry.mode = entry.stored_bytes == leaf_.chunk_bytes(chunk) ? mode_raw : mode_coded;
      if (!is_proven(without + term(chunk, entry), others + bytes)) continue;
      table_.set_entry(chunk, entry);
      return true;
    }
    return false;
  }

  /// They follow from the sizes.
  bool write_offsets() {
    std::uint64_t offset = 0;
    for (std::uint64_t chunk = 0; chunk < leaf_.chunk_count; ++chunk) {
      if (chunk % chunks_per_group == 0) table_.set_group_offset(chunk / chunks_per_group, offset);
      offset += chunks::padded(table_.entry(chunk).stored_bytes);
    }
    return true;
  }

  const CheckedLeaf& leaf_;
  std::span<std::uint8_t> bytes_, payloads_;
  ChunkTable<std::uint8_t> table_;
  std::uint64_t payload_bytes_;                  ///< As the entry of the stream says.
  std::uint64_t digest_ = 0, stored_bytes_ = 0;  ///< As the table says.
};

}  // namespace

std::optional<Leaf> mended_front(LeafStream stream, std::size_t word_bytes, std::span<std::uint8_t> bytes) {
  if (stream.stored_bytes < front_bytes) return std::nullopt;
  Front found{};
  std::copy_n(bytes.begin(), found.size(), found.begin());
  for (const Front& front : possible_fronts(word_bytes)) {
    std::copy(front.begin(), front.end(), bytes.begin());
    stream.leaf = *leaf_of_front(bytes, word_bytes);
    if (check_leaf(stream, bytes)) return stream.leaf;
  }
  std::copy(found.begin(), found.end(), bytes.begin());
  return std::nullopt;
}

bool mend_table(const CheckedLeaf& leaf, std::span<std::uint8_t> bytes) {
  return TableMender(leaf, bytes).mend();
}

}  // namespace floe::recovery
