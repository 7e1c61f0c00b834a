// What the host and the kernels that pack chains straight to where they belong agree on.
#pragma once

#include "gpu/encode/encode_job.hpp"

namespace floe::gpu {

/// Kernels are compiled for a map and the words that it gives.
enum class PackKind : std::uint8_t {
  same8,
  same16,
  same32,
  same64,
  sortable32,
  sortable64,
  f64_as_i64,
  f64_as_i32,
  f32_as_i32,
  int_mult32,
  int_mult64
};
inline constexpr unsigned pack_kinds = 11;
FLOE_HD constexpr bool can_fail(PackKind kind) { return kind >= PackKind::f64_as_i64; }
FLOE_HD constexpr bool is_int_mult(PackKind kind) { return kind >= PackKind::int_mult32; }

/// What divides the words of a segment, as far as some of them show, and the rest; packing shows more.
struct SegmentDivisor {
  std::uint64_t divisor = 1;  ///< 0 if the words that were looked at are equal.
  std::uint64_t rest = 0;     ///< Of words as unsigned numbers in order.
  std::uint64_t inverse = 1;  ///< Of the odd part.
  std::uint64_t max = 0;      ///< Quotients are no larger, unless a word is no multiple.
  std::uint64_t flip = 0;     ///< Gives words the order of unsigned numbers.
  std::uint64_t origin = 0;   ///< State: the smallest quotient + 1, when tiles have been looked at.
  std::uint32_t shift = 0;    ///< The divisor is odd << shift.
};

/// One column whose tree is a chain: a map or none, differences or none, bit packing. In tiles of 1024 words.
struct PackColumn {
  const std::uint8_t* words = nullptr;
  std::uint64_t word_count = 0;
  std::uint8_t* out = nullptr;
  std::uint64_t out_bytes = 0;
  cuda::SegmentEntry* segments = nullptr;
  cuda::ItemResult* result = nullptr;
  std::uint64_t* states = nullptr;     ///< Of the column's segments.
  std::uint32_t* refused = nullptr;    ///< How many segments of this launch the room was too small for.
  SegmentDivisor* divisors = nullptr;  ///< Of the column's segments, if it is scaled.
  double power = 1, reciprocal = 1;    ///< Of decimals.
  std::uint32_t segment_words = 0;     ///< Words of all segments but the last.
  std::uint32_t first_segment = 0;     ///< Of this launch.
  std::uint32_t end_tile = 0;          ///< Tiles of this launch in this column and those before it.
  std::uint32_t end_segment = 0;       ///< The same of segments.
  std::uint32_t map_parameter[2] = {};
  std::uint8_t map = 0;                ///< An EncodingId: bitpack if there is none.
  std::uint8_t order = 0, stride = 1;  ///< Of differences.
  DType type{};
  std::uint16_t lead_bytes = 0;  ///< Room before each segment, a multiple of 16.

  [[nodiscard]] FLOE_HD constexpr std::uint32_t words_of(std::uint32_t segment) const {
    const std::uint64_t left = word_count - std::uint64_t{segment} * segment_words;
    return left < segment_words ? static_cast<std::uint32_t>(left) : segment_words;
  }
};

/// How the words of a tile are packed. Written and read as a whole, so that it says itself that it is there.
struct alignas(16) PackTile {
  static constexpr std::uint32_t known = std::uint32_t{1} << 31;
  std::uint64_t base = 0;
  std::uint64_t packing = 0;  ///< Width, full width << 8, exceptions << 16, known; position << 32.

  static FLOE_HD constexpr std::uint64_t pack(const Packing& of) {
    return of.width | of.full_width << 8 | of.exceptions << 16 | known;
  }
  [[nodiscard]] FLOE_HD constexpr Packing as_packing() const { return {width(), full_width(), exceptions()}; }
  [[nodiscard]] FLOE_HD constexpr bool is_known() const { return (packing & known) != 0; }
  [[nodiscard]] FLOE_HD constexpr unsigned width() const { return packing & 0xFF; }
  [[nodiscard]] FLOE_HD constexpr unsigned full_width() const { return packing >> 8 & 0xFF; }
  [[nodiscard]] FLOE_HD constexpr std::uint32_t exceptions() const { return packing >> 16 & 0x7FFF; }
};

/// Where the bytes of a tile go, in the column's room, and what they are.
struct PackGoal {
  enum Mode : std::uint8_t { nothing, packed, words, mapped_words, chain_words, stopped };
  static constexpr std::uint64_t known = std::uint64_t{1} << 63, offset = (std::uint64_t{1} << 60) - 1;
  static FLOE_HD constexpr std::uint64_t of(Mode mode, std::uint64_t at) {
    return known | std::uint64_t{mode} << 60 | at;
  }
  /// A goal in a segment, when that one's position is known.
  static FLOE_HD constexpr std::uint64_t moved(std::uint64_t goal, std::uint64_t segment) {
    if (mode_of(goal) == nothing) return mode_of(segment) == stopped ? segment : goal;
    return mode_of(segment) == mode_of(goal) ? goal + (segment & offset) : segment;
  }
  static FLOE_HD constexpr Mode mode_of(std::uint64_t goal) { return static_cast<Mode>(goal >> 60 & 7); }
};

struct PackJob {
  PackColumn column[cuda::max_columns];
  std::uint32_t column_count = 0;
  std::uint32_t tile_count = 0, segment_count = 0;
  std::uint32_t lag = 0;      ///< So many tiles are looked at before one is packed: its position is known.
  PackTile* tiles = nullptr;  ///< 0 until known.
  std::uint64_t* goals = nullptr;     ///< Of tiles; 0 until known.
  std::uint32_t* arrivals = nullptr;  ///< Of segments, in the order of tiles: tiles that have been looked at.
  std::uint32_t* ticket = nullptr;
  std::uint32_t* failed = nullptr;  ///< Not 0: some word does not map, and the blocks encode all columns.
};
static_assert(sizeof(PackJob) <= 4096, "kernels take 4 KiB of parameters");

inline constexpr std::uint32_t max_delta_stride = trees::DeltaRules::max_near_stride;
/// Shared memory of a warp: a vector's bytes, and the positions of its exceptions.
constexpr std::uint32_t pack_slot_bytes(unsigned word_bytes) { return slot_bytes(word_bytes); }
inline constexpr unsigned pack_threads = 128;
/// Of a block of a cluster, which has a warp for each tile of a segment; and how many tiles that can be.
inline constexpr unsigned cluster_warps = 8, max_cluster_tiles = 64;
/// A warp more than those: that of the first block says where tiles go.
inline constexpr unsigned cluster_threads = (cluster_warps + 1) * warp_lanes;

struct PackKernel {
  void (*kernel)(PackJob) = nullptr;
  std::uint32_t shared_bytes = 0;               ///< Of a block.
  std::uint32_t blocks_per_multiprocessor = 0;  ///< That are worth launching.
  std::uint32_t shared_percent = 0;             ///< Of a multiprocessor's memory: LaunchShape.
};
struct PackKernels {
  PackKernel by_tiles, by_clusters;  ///< The second one only for words of 32 and 64 bits.
  PackKernel before{};               ///< Of words that are scaled: finds divisors, a warp for each segment.
};
PackKernels pack_kernels(PackKind kind);

PackKernels pack_words_kernels(PackKind kind);
PackKernels pack_floats_kernels(PackKind kind);
PackKernels pack_int_mult_kernels(PackKind kind);

}  // namespace floe::gpu
