// What the host and the kernels that encode columns agree on.
#pragma once

#include "floe/cuda.hpp"
#include "gpu/encode/encode_memory.hpp"
#include "gpu/frames/job.hpp"

namespace floe::gpu {

/// One column that is being encoded.
struct EncodeColumn {
  const std::uint8_t* words = nullptr;
  std::uint64_t word_count = 0;
  const std::uint8_t* tree_of_segment = nullptr;
  std::uint8_t* out = nullptr;
  std::uint64_t out_bytes = 0;
  cuda::SegmentEntry* segments = nullptr;
  cuda::ItemResult* result = nullptr;
  std::uint32_t segment_words = 0;
  std::uint32_t end_ticket = 0;                 ///< Segments of this column and of those before it.
  std::uint8_t first_tree = 0, tree_count = 0;  ///< Its own, of those of the call.
  std::uint16_t lead_bytes = 0;                 ///< Room before each segment, a multiple of 16.
  DType type{};
  StreamFacts* facts = nullptr;  ///< Of the segments, or null: nobody asks for them.
  bool checksums = true;         ///< Of the digests of streams.
};

/// Where the plans lie, as segments store them.
struct EncodeTrees {
  std::uint16_t offset[cuda::max_trees] = {};
  std::uint16_t used = 0;
  std::uint8_t count = 0;
  std::uint8_t bytes[cuda::max_tree_bytes] = {};
};

struct EncodeColumnsJob {
  EncodeColumn column[cuda::max_columns];
  std::uint32_t column_count = 0;
  std::uint32_t first_ticket = 0, segment_count = 0;  ///< Where the segments of this launch begin and end.
  const EncodeTrees* trees = nullptr;                 ///< In the workspace.
  std::uint32_t* ticket = nullptr;                    ///< The next segment that no block has taken.
  std::uint64_t* states = nullptr;                    ///< Per segment: OffsetState.
  std::uint8_t* scratch = nullptr;
  std::uint64_t scratch_bytes = 0;  ///< Per block.
  /// The scratch has two equal parts: a segment gets its position when the next one is encoded, as those
  /// before it have published their sizes by then.
  bool has_two_parts = false;
  /// If there is such a position: nothing is done where it holds 0.
  const std::uint32_t* wanted = nullptr;
  /// Arrays in memory of the device instead, if there are such: the only column says what they share.
  const CompressItem* items = nullptr;
  std::uint64_t item_count = 0;
  std::uint32_t header_bytes = 0;       ///< What stands before the first segment in the frames of the items.
  cuda::ItemResult* encoded = nullptr;  ///< Of the items.
  const Counters* counters = nullptr;
  /// Becomes 1 if some word is no decimal, or there is no room: all is encoded by another kernel then. Null
  /// if there is none.
  std::uint32_t* failed = nullptr;
  /// If there is such memory, segments are parked there, each in room of its own from that of first_ticket
  /// on, and get their positions from place_parked_kernel(): no block waits for another one. There is one
  /// column.
  std::uint8_t* parking = nullptr;
  std::uint64_t parked_bytes = 0;  ///< Room of a segment, a multiple of 16.
  /// If there are such: parts of the scratch that blocks of launches at the same time take and give back.
  std::uint32_t* scratch_locks = nullptr;
  std::uint32_t scratch_parts = 0;
};
static_assert(sizeof(EncodeColumnsJob) <= 4096, "kernels take 4 KiB of parameters");

/// What is passed to the kernel that sets up the workspace.
struct EncodeSetUpJob {
  EncodeTrees trees;
  EncodeTrees* trees_to = nullptr;
  cuda::ItemResult* result[cuda::max_columns] = {};
  std::uint32_t column_count = 0;
  std::uint64_t* zeros = nullptr;  ///< Memory that becomes zero.
  std::uint64_t zero_words = 0;
  const std::uint32_t* wanted = nullptr;   ///< As in EncodeColumnsJob.
  const std::uint32_t* refused = nullptr;  ///< Or null: failures per column that results no longer have.
};
static_assert(sizeof(EncodeSetUpJob) <= 4096, "kernels take 4 KiB of parameters");

/// A kernel that encodes segments with blocks, of which so many are worth launching.
struct EncodeKernel {
  void (*function)(EncodeColumnsJob) = nullptr;
  std::uint32_t threads = 0, shared_bytes = 0, blocks_per_multiprocessor = 0;
  std::uint32_t spare_bytes = 0;  ///< More shared memory that makes it faster.
};
/// For every tree; for those without dictionaries; and for those that encode_limits.hpp says pack entropy,
/// which may find facts.
EncodeKernel encode_kernel();
EncodeKernel small_encode_kernel();
EncodeKernel pack_neighbours_kernel(bool finds_facts);
EncodeKernel pack_wide_neighbours_kernel(bool finds_facts);
EncodeKernel pack_decimals_kernel(bool finds_facts);
EncodeKernel pack_strides_kernel(bool finds_facts);
EncodeKernel pack_stored_kernel(bool finds_facts);
EncodeKernel pack_quotients_kernel(bool finds_facts);
/// Chains above a leaf of entropy that these pack: those of a step to sortable words and differences of
/// neighbours; those of decimals, too; those with short strides, too; those with grids and other deltas,
/// whose words a block stores before it reads them, too. And quotients of floats above differences of
/// neighbours, alone: these are all segments of such a launch.
enum class PackedChains : std::uint8_t { of_neighbours, decimals, strides, all, quotients };
/// Of chains that are seldom chosen one kernel is compiled, which finds facts whoever asks for them.
FLOE_HD constexpr bool finds_facts_always(PackedChains chains) {
  return chains == PackedChains::strides || chains == PackedChains::all;
}
/// Puts parked segments to their positions, a block for each; `parking` begins with the first one.
EncodeKernel place_parked_kernel();
/// Sets up the workspace.
void (*set_up_kernel())(EncodeSetUpJob);

}  // namespace floe::gpu
