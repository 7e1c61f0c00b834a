// The checksum of a chunk's payload on a warp: src/core/chunk_checksum.hpp is the formula.
#pragma once

#include "core/chunk_checksum.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// core::ChecksumWeights for HalvesTimesBytes: of a row the lower bytes of both weights, then the upper ones.
struct ChecksumTables {
  std::uint32_t rows[core::ChecksumWeights::row_count];
  std::uint32_t starts[core::ChecksumWeights::column_count];
};

constexpr ChecksumTables make_checksum_tables() {
  ChecksumTables tables{};
  for (std::size_t i = 0; i < core::ChecksumWeights::row_count; ++i) {
    const std::uint32_t row = core::checksum_weights.rows[i];
    tables.rows[i] = (row & 0xFF0000FF) | (row >> 8 & 0xFF00) | (row & 0xFF00) << 8;
  }
  for (std::size_t i = 0; i < core::ChecksumWeights::column_count; ++i)
    tables.starts[i] = core::checksum_weights.starts[i];
  return tables;
}

#if defined(__CUDACC__)
static __device__ const ChecksumTables checksum_tables = make_checksum_tables();
#else
inline constexpr ChecksumTables checksum_tables = make_checksum_tables();
#endif

/// The sum of both signed halves of a word times the lower, or the upper, two bytes of a row.
struct HalvesTimesBytes {
  std::uint32_t lower = 0, upper = 0;

  FLOE_DEVICE void add(std::uint32_t word, std::uint32_t row) {
#if defined(__CUDA_ARCH__)
    asm("dp2a.lo.s32.u32 %0, %1, %2, %0;" : "+r"(lower) : "r"(word), "r"(row));
    asm("dp2a.hi.s32.u32 %0, %1, %2, %0;" : "+r"(upper) : "r"(word), "r"(row));
#else
    lower += core::weighted(word, (row & 255) | (row & 0xFF00) << 8);
    upper += core::weighted(word, (row >> 16 & 255) | (row >> 24) << 16);
#endif
  }
  FLOE_DEVICE std::uint32_t sum() const { return lower + (upper << 8); }
};

/// The column whose sum a lane has at the end, of a piece that begins at `begin`.
template <class Warp>
FLOE_DEVICE std::uint32_t lane_column(const Warp& warp, std::uint32_t begin) {
  return (begin / 16 + warp.lane()) % 8 * 4 + warp.lane() / 8;
}

/// The sum of lane_column(), of what lanes have of the four columns that each meets, as three others do.
template <class Warp>
FLOE_DEVICE std::uint32_t add_lanes(Warp& warp, const HalvesTimesBytes (&products)[4]) {
  // Each of the four gives away half of its sums, then again.
  const unsigned lane = warp.lane();
  const std::uint32_t sums[4] = {products[0].sum(), products[1].sum(), products[2].sum(), products[3].sum()};
  const bool keeps_last_two = (lane & 16) != 0, keeps_second = (lane & 8) != 0;
  const std::uint32_t first =
      (keeps_last_two ? sums[2] : sums[0]) + warp.shuffle(keeps_last_two ? sums[0] : sums[2], lane ^ 16);
  const std::uint32_t second =
      (keeps_last_two ? sums[3] : sums[1]) + warp.shuffle(keeps_last_two ? sums[1] : sums[3], lane ^ 16);
  return (keeps_second ? second : first) + warp.shuffle(keeps_second ? first : second, lane ^ 8);
}

/// What the bytes [begin, end) of a payload add to the sum of lane_column(). They lie at `piece`, which is a
/// multiple of 16, as are both ends. `tables` should be in shared memory.
template <class Warp>
FLOE_DEVICE std::uint32_t column_sum(Warp& warp, const std::uint8_t* piece, std::uint32_t begin,
                                     std::uint32_t end, const ChecksumTables& tables) {
  HalvesTimesBytes products[4];
  FLOE_UNROLL_BY(4)
  for (std::uint32_t at = begin + 16 * warp.lane(); at < end; at += 16 * warp_lanes) {
    const auto v = load_aligned<Vector<std::uint32_t>>(piece + (at - begin));
    const std::uint32_t row = tables.rows[at / core::ChecksumWeights::row_bytes];
    FLOE_UNROLL
    for (unsigned i = 0; i < 4; ++i) products[i].add(v.word[i], row);
  }
  return add_lanes(warp, products);
}

/// In all lanes. `sum`: what a whole payload adds to the sum of `column`, of which each lane has another one.
template <class Warp>
FLOE_DEVICE std::uint32_t checksum_of_sums(Warp& warp, std::uint32_t column, std::uint32_t sum,
                                           const ChecksumTables& tables) {
  return warp.reduce_xor(core::ChecksumBlend::of(tables.starts[column] + sum));
}

/// Of a whole payload, in all lanes. `payload` is a multiple of 16, as is `padded_bytes`.
template <class Warp>
FLOE_DEVICE std::uint32_t payload_checksum(Warp& warp, const std::uint8_t* payload,
                                           std::uint32_t padded_bytes, const ChecksumTables& tables) {
  return checksum_of_sums(warp, lane_column(warp, 0), column_sum(warp, payload, 0, padded_bytes, tables),
                          tables);
}

/// The same of a payload that goes elsewhere at once: `pass_on(at, bytes)` gets the 16 bytes at `at`. Loads
/// are in flight together, which the compiler does not dare to move over stores.
template <class Warp, class PassOn>
FLOE_DEVICE std::uint32_t payload_checksum(Warp& warp, const std::uint8_t* payload,
                                           std::uint32_t padded_bytes, const ChecksumTables& tables,
                                           const PassOn& pass_on) {
  constexpr unsigned batch = 8;
  HalvesTimesBytes products[4];
  FLOE_NO_UNROLL
  for (std::uint32_t first = 16 * warp.lane(); first < padded_bytes; first += batch * 16 * warp_lanes) {
    Vector<std::uint32_t> v[batch];
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t at = first + b * 16 * warp_lanes;
      if (at < padded_bytes) v[b] = load_aligned<Vector<std::uint32_t>>(payload + at);
    }
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t at = first + b * 16 * warp_lanes;
      if (at >= padded_bytes) continue;
      const std::uint32_t row = tables.rows[at / core::ChecksumWeights::row_bytes];
      FLOE_UNROLL
      for (unsigned i = 0; i < 4; ++i) products[i].add(v[b].word[i], row);
      pass_on(at, v[b]);
    }
  }
  return checksum_of_sums(warp, lane_column(warp, 0), add_lanes(warp, products), tables);
}

}  // namespace floe::gpu
