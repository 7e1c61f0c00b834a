// Payloads of bit_pack and offset_pack on a warp: what stands before and behind the packed words
// (docs/format/stages/bit_pack.md, offset_pack.md). A lane has the numbers of the sub-chunk with its number.
#pragma once

#include "chunks/stages/stages.hpp"
#include "core/chunk.hpp"
#include "gpu/warp/lane_bits.hpp"

namespace floe::gpu {

template <core::Word W>
struct PackPayload {
  static constexpr std::uint32_t word_bytes = sizeof(W);
  static constexpr unsigned subchunks = core::subchunks_per_chunk;
  static constexpr unsigned field_bits = stages::width_field_bits<W>;
  static constexpr unsigned header_bytes = 6 + 4 * field_bits;
  static constexpr bool narrow = sizeof(W) <= 2;  ///< Packed by offset_pack.
  static_assert(header_bytes % 4 == 2 && header_bytes <= 34);

  /// What is known of a payload before it is written.
  struct Plan {
    unsigned width = 0;         ///< Of the sub-chunk with this lane's number.
    W base = 0;                 ///< Of its offsets.
    std::uint32_t before = 0;   ///< Bits of all sub-chunks before it.
    std::uint32_t folded = 0;   ///< One bit per sub-chunk, the same in all lanes.
    std::uint32_t offsets = 0;  ///< The same.
    std::uint32_t bits = 0;     ///< Of all sub-chunks.
    std::uint32_t payload = 0;  ///< Bytes.
    std::uint32_t second = 0;   ///< Where the bytes of the second half begin in it.

    FLOE_DEVICE bool is_folded(unsigned subchunk) const { return (folded >> subchunk & 1) != 0; }
    FLOE_DEVICE bool has_offsets(unsigned subchunk) const { return (offsets >> subchunk & 1) != 0; }
    /// Where the bases begin in the payload.
    FLOE_DEVICE std::uint32_t bases() const { return header_bytes + (bits + 7) / 8; }
  };

  static FLOE_DEVICE std::uint32_t subchunk_begin(std::uint32_t words, unsigned subchunk) {
    return words * subchunk / subchunks;
  }

  /// Fills in what follows from the widths. Returns the payload's size.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t add_up(Warp& warp, std::uint32_t chunk_bytes, Plan& plan) {
    const std::uint32_t words = chunk_bytes / word_bytes;
    const std::uint32_t mine =
        plan.width * (subchunk_begin(words, warp.lane() + 1) - subchunk_begin(words, warp.lane()));
    const std::uint32_t inclusive = inclusive_scan(warp, mine);
    plan.before = inclusive - mine;
    plan.bits = warp.shuffle(inclusive, 31);
    plan.payload = plan.bases() + chunk_bytes % word_bytes;
    if constexpr (narrow) plan.payload += word_bytes * count_bits(plan.offsets);
    return plan.payload;
  }

  /// The header, and zeros up to the end of its last word.
  template <class Warp>
  static FLOE_DEVICE void write_header(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes,
                                       const Plan& plan) {
    // Eight fields are a whole number of bytes.
    std::uint64_t fields = plan.width;
    if constexpr (narrow) fields += plan.has_offsets(warp.lane()) ? core::word_bits<W> : 0;
    FLOE_UNROLL
    for (unsigned lanes = 1; lanes < 8; lanes *= 2)
      fields |= warp.shuffle_down(fields, lanes) << (lanes * field_bits);
    if (warp.lane() % 8 == 0) {
      std::uint8_t* const to = buffer + 6 + warp.lane() / 8 * field_bits;
      for (unsigned i = 0; i < field_bits; ++i) to[i] = static_cast<std::uint8_t>(fields >> (8 * i));
    }
    if (warp.lane() == 0) {
      store_aligned(buffer, plan.folded);
      store_aligned(buffer + 4, static_cast<std::uint16_t>(chunk_bytes));
      store_aligned(buffer + header_bytes, std::uint16_t{0});
    }
  }

  /// The bases behind the packed words, which must have been written.
  template <class Warp>
  static FLOE_DEVICE void write_bases(Warp& warp, std::uint8_t* payload, const Plan& plan) {
    if (!narrow || plan.offsets == 0) return;
    std::uint8_t* const to = payload + plan.bases() + word_bytes * count_before(warp, plan.offsets);
    if (plan.has_offsets(warp.lane())) {
      for (unsigned i = 0; i < word_bytes; ++i) to[i] = static_cast<std::uint8_t>(plan.base >> (8 * i));
    }
    warp.sync();
  }

  /// Reads what write_header and write_bases wrote; false if it contradicts the sizes.
  template <class Warp>
  static FLOE_DEVICE bool read(Warp& warp, const std::uint8_t* payload, std::uint32_t stored_bytes,
                               std::uint32_t chunk_bytes, Plan& plan) {
    if (stored_bytes < header_bytes || load_aligned<std::uint16_t>(payload + 4) != chunk_bytes) return false;
    plan.folded = load_aligned<std::uint32_t>(payload);
    plan.width = read_bits<std::uint16_t>(payload, 48 + field_bits * warp.lane(), field_bits);
    const bool above = plan.width > core::word_bits<W>;
    const std::uint32_t all_above = warp.ballot(above);
    if constexpr (narrow) {
      plan.offsets = all_above;
      if (above) plan.width -= core::word_bits<W>;
      if ((plan.folded & plan.offsets) != 0) return false;
    } else {
      if (all_above != 0) return false;
    }
    if (add_up(warp, chunk_bytes, plan) != stored_bytes) return false;
    if (narrow && above) {
      const std::uint8_t* const from = payload + plan.bases() + word_bytes * count_before(warp, plan.offsets);
      for (unsigned i = 0; i < word_bytes; ++i) plan.base = static_cast<W>(plan.base | W{from[i]} << (8 * i));
    }
    return true;
  }
};

}  // namespace floe::gpu
