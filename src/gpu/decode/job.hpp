// What the host and the kernels of columns agree on.
#pragma once

#include "floe/cuda.hpp"
#include "gpu/decode/decode_memory.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/unpack/segment_shares.hpp"

namespace floe::gpu {

/// One column that is being decoded: the segments that its rows overlap.
struct DecodeColumn {
  const std::uint8_t* data = nullptr;
  std::uint64_t data_bytes = 0;
  const cuda::SegmentEntry* segments = nullptr;
  std::uint64_t word_count = 0;
  std::uint64_t first_row = 0, end_row = 0;
  std::uint8_t* out = nullptr;
  cuda::ItemResult* result = nullptr;
  std::uint32_t* codes = nullptr;  ///< Of the segments from first_segment on; or null.
  std::uint32_t segment_words = 0;
  std::uint32_t first_segment = 0;
  std::uint32_t end_ticket = 0;  ///< Segments of this column and of those before it.
  std::uint32_t end_share = 0;   ///< Shares of those of them that are opened ahead.
  ShareSizes coarse, fine;
  DType type{};
};

FLOE_HD constexpr std::uint32_t words_of_segment(const DecodeColumn& column, std::uint32_t segment) {
  const std::uint64_t left = column.word_count - std::uint64_t{segment} * column.segment_words;
  return static_cast<std::uint32_t>(left < column.segment_words ? left : column.segment_words);
}
/// Vectors of a segment that is not the last one.
FLOE_HD constexpr std::uint32_t segment_vectors(const DecodeColumn& column) {
  return tiles_of(words_of_segment(column, 0));
}

/// Segments opened ahead: those that need a block; of those that need none, those that have a delta, a
/// dictionary (a small one or not), are runs, or have a leaf of entropy (with short frequencies of words of
/// 16 bits, of wide words and two blocks, or others); and those that have nothing of it.
enum class SegmentList : unsigned {
  for_blocks,
  with_sums,
  with_small_tables,
  with_tables,
  with_runs,
  with_entropy,
  with_short_entropy,
  with_two_blocks,
  others
};
inline constexpr unsigned segment_lists = 9;

/// What the kernels of a launch count, each in a cache line of its own; zero before the first one.
struct DecodeCounters {
  struct alignas(128) Count {
    std::uint32_t count;
  };
  Count tickets;                ///< Segments that blocks have taken.
  Count shares;                 ///< Of segments, that warps have taken.
  Count entropy_tickets[3];     ///< Segments with a leaf of entropy that were taken, of each such list.
  Count listed[segment_lists];  ///< Segments of each list, named at the end of records.
  Count damaged;                ///< Streams of frames with other digests.
};

struct DecodeColumnsJob {
  DecodeColumn column[cuda::max_columns];
  std::uint32_t column_count = 0;
  /// Segments of frames instead, if there are such: the only column says the type and the shares.
  StreamTask* streams = nullptr;
  cuda::ItemResult* results = nullptr;  ///< Of the frames.
  std::uint32_t segment_count = 0;
  DecodeCounters* counters = nullptr;
  std::uint8_t* scratch = nullptr;
  std::uint64_t scratch_bytes = 0;  ///< Per block.
  std::uint32_t block_count = 0;
  std::uint8_t* opened = nullptr;                        ///< What warps have found out of the first segments.
  std::uint64_t opened_bytes = 0;                        ///< Per segment.
  std::uint32_t opened_count = 0;                        ///< Segments.
  std::uint32_t share_count = 0;                         ///< Of those, a few vectors each.
  std::uint32_t first_fine = 0;                          ///< The first one with fine shares.
  std::uint32_t small_table_bytes = 0, table_bytes = 0;  ///< See UnpackShape.
  /// Entries at the end of the list with leaves of entropy of which this many blocks take shares.
  std::uint32_t shared_entries = 0, shares = 1;
  /// Whether the kernel for that list runs beside the one for sections of two blocks, which comes before it
  /// and has waited for all others.
  bool is_beside = false;
  /// Per entry of that list, and from the end per entry of that of two blocks, for a stream of up to so many
  /// checksums: what those who decode it find of its digest. None: a kernel verifies all streams.
  std::uint32_t* sums = nullptr;
  std::uint32_t max_checksums = 0;
};
static_assert(sizeof(DecodeColumnsJob) <= 4096, "kernels take 4 KiB of parameters");

/// Where the sums of the digest of entry `index` of a list of leaves of entropy are.
FLOE_HD constexpr std::uint64_t sums_of_entry(const DecodeColumnsJob& job, SegmentList list,
                                              std::uint32_t index) {
  return list == SegmentList::with_two_blocks ? job.opened_count - 1 - index : index;
}

/// Vectors of a segment that one warp unpacks.
struct ShareOfSegment {
  const DecodeColumn* column;
  std::uint32_t ticket, first, count;
};
FLOE_HD constexpr ShareOfSegment share_of(const DecodeColumnsJob& job, std::uint32_t index) {
  std::uint32_t first_share = 0, first_ticket = 0;
  const DecodeColumn* column = job.column;
  for (; index >= column->end_share; ++column) {
    first_share = column->end_share;
    first_ticket = column->end_ticket;
  }
  const std::uint32_t coarse_segments = job.first_fine < first_ticket ? 0
                                        : job.first_fine < column->end_ticket
                                            ? job.first_fine - first_ticket
                                            : column->end_ticket - first_ticket;
  const ShareRange entry = ShareRange::of(index - first_share, coarse_segments, column->coarse, column->fine);
  return {column, first_ticket + entry.segment, entry.first, entry.vectors};
}

/// Kernels, threads of a block that opens segments, a warp each, and the shared memory of blocks.
struct ColumnKernels {
  void (*open)(DecodeColumnsJob) = nullptr;
  void (*verify)(DecodeColumnsJob) = nullptr;  ///< Of frames: streams that no decoder verifies.
  void (*decode)(DecodeColumnsJob) = nullptr;
  std::uint32_t open_threads = 0, open_shared_bytes = 0, verify_shared_bytes = 0, decode_shared_bytes = 0;
};
ColumnKernels column_kernels();

/// A kernel that unpacks segments with a leaf of entropy, by blocks of so many threads.
struct EntropyKernel {
  void (*unpack)(DecodeColumnsJob) = nullptr;
  std::uint32_t threads = 0, shared_bytes = 0, blocks_per_multiprocessor = 0;
};
EntropyKernel entropy_kernel();
EntropyKernel checked_entropy_kernel();  ///< Finds digests, where there is memory for their sums.
EntropyKernel short_entropy_kernel();
EntropyKernel two_block_kernel();
EntropyKernel checked_two_block_kernel();  ///< Likewise.

/// The kernel that unpacks segments without blocks, by blocks of an UnpackShape.
void (*unpack_kernel())(DecodeColumnsJob);

}  // namespace floe::gpu
