// The digest of a stream whose words come out of one leaf of entropy, by the blocks that decode it. Most of
// its bytes come through the rings of warps, in pieces of 512 bytes that begin at multiples of that in the
// stream: so a lane adds up one column of checksums (core/chunk_checksum.hpp), and all lanes go to the next
// checksum at once. A warp keeps the sums of a piece of 16 KiB in shared memory and adds them in device
// memory to those of others. The block that is the last one of a segment makes the digest of them.
#pragma once

#include <cstddef>

#include "chunks/chunk_table.hpp"
#include "core/digest.hpp"
#include "gpu/entropy/entropy_rings.hpp"
#include "gpu/warp/atomics.hpp"
#include "gpu/warp/checksum.hpp"

namespace floe::gpu {

/// Of a stream of up to `stream_bytes` bytes, in device memory: sums of columns for each of its checksums,
/// and how many blocks have added theirs. Zero before the first one.
struct StreamSums {
  static constexpr std::uint32_t row = warp_lanes;
  FLOE_HD static constexpr std::uint32_t checksums(std::uint64_t stream_bytes) {
    return static_cast<std::uint32_t>((stream_bytes + core::chunk_bytes - 1) / core::chunk_bytes);
  }
  FLOE_HD static constexpr std::uint32_t words(std::uint32_t checksums) { return row * (checksums + 1); }
};

/// What a block has in shared memory of the stream that it verifies; nobody wants its digest if `sums` is
/// null.
struct StreamCheck {
  std::uint32_t* sums = nullptr;
  std::uint64_t digest = 0;  ///< That the stream must have.
  std::uint32_t base = 0;    ///< The lower half of the stream's address.
  std::uint32_t bytes = 0;
  std::uint32_t body_begin = 0, body_end = 0;  ///< Bytes of the stream that come through rings.
  std::uint32_t blocks = 1, arrived = 0;       ///< That decode the segment; and have, with this one.

  [[nodiscard]] FLOE_DEVICE std::uint32_t checksums() const { return StreamSums::checksums(bytes); }
};

/// Adds what the lanes of a warp have of the columns of the checksum of the bytes at `position`.
FLOE_DEVICE void add_columns(const StreamCheck& check, std::uint32_t position, unsigned lane,
                             std::uint32_t sum) {
  const auto index = static_cast<std::uint32_t>(position / core::chunk_bytes);
  if (index < check.checksums()) atomic_add(check.sums + StreamSums::row * index + lane, sum);
}

/// A constant, as all lanes want the same weights.
#if defined(__CUDACC__)
alignas(16) static __constant__ const ChecksumTables ring_tables = make_checksum_tables();
#else
alignas(16) inline constexpr ChecksumTables ring_tables = make_checksum_tables();
#endif

/// What four words of column `lane`, one of each row from byte `offset` of the stream on, add to its sum.
FLOE_DEVICE std::uint32_t weigh_rows(const std::uint32_t (&words)[4], std::uint32_t offset) {
  const auto weights = load_aligned<Vector<std::uint32_t>>(
      reinterpret_cast<const std::uint8_t*>(&ring_tables.rows[offset % core::chunk_bytes / ring_piece * 4]));
  HalvesTimesBytes products;
  FLOE_UNROLL
  for (unsigned r = 0; r < 4; ++r) products.add(words[r], weights.word[r]);
  return products.sum();
}
static_assert(ring_piece == 4 * core::ChecksumWeights::row_bytes && core::chunk_bytes % ring_piece == 0);

/// For decoders whose streams nobody verifies.
struct NoCheck {
  static constexpr bool is_present = false;
};

/// A warp's view of a StreamCheck: sums of what came through its two rings.
class RingCheck {
 public:
  static constexpr bool is_present = true;
  /// Of a warp in shared memory: a sum for each lane and ring.
  static constexpr std::uint32_t room = 2 * 4 * warp_lanes;

  FLOE_DEVICE RingCheck(const StreamCheck& check, std::uint8_t* sums, unsigned lane)
      : check_(check),
        sums_(SharedBytes(sums) + 4 * lane),
        base_(kept(check.sums != nullptr ? check.base : check.base - 1)) {}
  [[nodiscard]] FLOE_DEVICE bool is_on() const { return base_ % 16 == 0; }
  /// Where in the stream the word at an address is, or up to three bytes behind that.
  [[nodiscard]] FLOE_DEVICE std::uint32_t offset_of(const std::uint8_t* at) const {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at)) - base_;
  }
  FLOE_DEVICE void begin() const {
    sums_.store32(0);
    (sums_ + 4 * warp_lanes).store32(0);
  }
  /// Adds a piece that came through a ring, from byte `offset` of the stream on. By all lanes.
  FLOE_DEVICE void add(unsigned ring, SharedBytes piece, std::uint32_t offset, unsigned lane) const {
    std::uint32_t words[4];
    FLOE_UNROLL
    for (unsigned r = 0; r < 4; ++r) words[r] = (piece + (ring_piece / 4 * r + 4 * lane)).load32();
    const SharedBytes at = sums_ + 4 * warp_lanes * ring;
    std::uint32_t sum = at.load32() + weigh_rows(words, offset);
    if (offset % core::chunk_bytes == core::chunk_bytes - ring_piece) {
      add_columns(check_, offset, lane, sum);
      sum = 0;
    }
    at.store32(sum);
  }
  /// Adds what is still in a ring of `ring_bytes` bytes, of which so many were fetched; the first one was
  /// that at byte `offset` of the stream, and those from `end` on do not count.
  FLOE_DEVICE void end(unsigned ring, SharedBytes bytes, std::uint32_t ring_bytes, std::uint32_t fetched,
                       std::uint32_t offset, std::uint32_t end, unsigned lane) const {
    FLOE_NO_UNROLL
    for (std::uint32_t i = fetched - ring_bytes; i < end && i < fetched; i += ring_piece)
      add(ring, bytes + (i & (ring_bytes - 1)), offset + i, lane);
    add_columns(check_, offset + end - 1, lane, (sums_ + 4 * warp_lanes * ring).load32());
  }

 private:
  const StreamCheck& check_;
  SharedBytes sums_;
  std::uint32_t base_;  ///< A multiple of 16 if somebody wants the digest.
};

/// Adds bytes [begin, end) of the stream, all multiples of 4, that come through no ring. By all threads.
template <class Block>
FLOE_DEVICE void add_bytes(Block& block, const StreamCheck& check, const std::uint8_t* stream,
                           std::uint32_t begin, std::uint32_t end) {
  const unsigned lane = block.warp().lane();
  FLOE_NO_UNROLL
  for (std::uint32_t i = begin / ring_piece * ring_piece + ring_piece * block.warp_index(); i < end;
       i += ring_piece * block.warp_count()) {
    std::uint32_t words[4];
    FLOE_UNROLL
    for (unsigned r = 0; r < 4; ++r) {
      const std::uint32_t at = i + ring_piece / 4 * r + 4 * lane;
      words[r] = at >= begin && at < end ? load_aligned<std::uint32_t>(stream + at) : 0;
    }
    add_columns(check, i, lane, weigh_rows(words, i));
  }
}

/// What the sums of a stream say of it, if this block is the last one that adds to them; else true. By all
/// threads, when all have added theirs; `is_first`: of the blocks that decode the segment, this one adds
/// what comes through no ring. `totals` is shared memory for a number per warp.
template <class Block>
FLOE_DEVICE_CALL bool has_digest(Block& block, StreamCheck& check, const std::uint8_t* stream, bool is_first,
                                 std::uint64_t* totals) {
  auto& warp = block.warp();
  if (is_first) {
    add_bytes(block, check, stream, 0, check.body_begin);
    add_bytes(block, check, stream, check.body_end, (check.bytes + 15) / 16 * 16);
  }
  fence();
  block.sync();
  const std::uint32_t checksums = check.checksums();
  if (block.rank() == 0) {
    check.arrived = atomic_add(check.sums + StreamSums::row * checksums, 1) + 1;
    fence();
  }
  block.sync();
  if (check.arrived != check.blocks) return true;
  std::uint64_t digest = 0;
  for (std::uint32_t i = block.warp_index(); i < checksums; i += block.warp_count()) {
    const auto sum = load_fresh<std::uint32_t>(
        reinterpret_cast<const std::uint8_t*>(check.sums + StreamSums::row * i + warp.lane()));
    const std::uint32_t left = check.bytes - i * static_cast<std::uint32_t>(core::chunk_bytes),
                        stored =
                            left < core::chunk_bytes ? left : static_cast<std::uint32_t>(core::chunk_bytes);
    const std::uint32_t checksum = checksum_of_sums(warp, warp.lane(), sum, checksum_tables);
    if (warp.lane() == 0)
      digest += core::digest_term(i, checksum, static_cast<std::uint16_t>(stored), chunks::mode_raw);
  }
  return block_scan(block, totals, digest).total == check.digest;
}

}  // namespace floe::gpu
