// What the host and the kernels of a call agree on: parameters of kernels, and the records that they keep in
// the caller's workspace.
#pragma once

#include <cstdint>

#include "floe/cuda.hpp"
#include "gpu/frames/geometry.hpp"

namespace floe::gpu {

using cuda::BatchItem;
using cuda::ItemResult;
using cuda::SegmentEntry;

struct SortRecord;

inline constexpr std::uint64_t no_offset =
    ~std::uint64_t{0};  ///< ItemResult::byte_offset of anything but a fault of a frame.
inline constexpr std::uint32_t max_device_header_bytes = 96;  ///< Of a header without a prefix.

struct Counters {
  std::uint32_t ticket = 0;       ///< The next chunk, or segment, that nobody has taken.
  std::uint32_t chunk_count = 0;  ///< Of all items.
  std::uint32_t unit_count = 0;   ///< Segments of all items; an item without segments counts as one.
  std::uint32_t arrived = 0;      ///< Blocks that are done with a step, or have begun one.
  // Decoding segments with history: what has been given away.
  std::uint32_t task_count = 0;
  std::uint32_t tile_count = 0;     ///< Of pointers.
  std::uint32_t scratch_count = 0;  ///< Tiles of values that are not wanted as a whole.
};

/// One array that is being compressed.
struct CompressItem {
  const std::uint8_t* in = nullptr;
  std::uint8_t* out = nullptr;
  std::uint64_t content_bytes = 0;
  std::uint64_t capacity = 0;
  std::uint64_t digest = 0;       ///< So far.
  std::uint32_t first_chunk = 0;  ///< In the order of all items.
  std::uint32_t first_unit = 0;
  std::uint32_t units_done = 0;
  std::uint32_t code = 0;  ///< An ErrorCode that was found before the first chunk.
  std::uint64_t footer_offset =
      0;  ///< Only with history, where it does not follow from the payloads before it.
};

/// What look-back reads of chunks, or of segments: 0 until something is published.
struct OffsetState {
  static constexpr std::uint64_t aggregate = std::uint64_t{1} << 62;  ///< Padded bytes of this one.
  static constexpr std::uint64_t inclusive = std::uint64_t{2}
                                             << 62;  ///< Of all up to and including this one.
  static constexpr std::uint64_t number = aggregate - 1;
};

/// One segment that is being compressed with history. Its chunks are numbered from 2 times its first chunk of
/// content on: there they have slots, entries and offsets, of either kind.
struct HistoryUnit {
  std::uint64_t payload_bytes[2] = {};  ///< Of all chunks, padded, by kind.
  std::uint64_t offset = 0;             ///< Of the segment in the frame.
};

/// Memory of codecs with a stage over the segment, all in the workspace; null for others.
struct HistoryTables {
  HistoryUnit* units = nullptr;         ///< Per segment.
  std::uint32_t* digit_sums = nullptr;  ///< Per span and digit; first_row() says which rows are whose.
  SortRecord* records[2] = {};          ///< Per word, sorted from one to the other.
  std::uint32_t* tile_marks = nullptr;  ///< Per tile TileMarks::words: over the digits.
  std::uint32_t* links = nullptr;       ///< Per word: over one of the records.
  std::uint32_t* distances = nullptr;   ///< Per word.
  std::uint8_t* slots = nullptr;        ///< A chunk of memory per chunk: payloads, over the records.
  std::uint32_t* offsets =
      nullptr;  ///< Per chunk: the padded bytes of the payloads before it in its segment.
};

/// What the streams of a codec begin with, by kind.
struct LeafFront {
  std::uint64_t plan = 0;              ///< The bytes that are not zero, but for the kind.
  std::uint64_t digest_terms[2] = {};  ///< What the front adds to the digest of a stream.
};

/// What the header of a segment says of its stream and its words, if whoever encoded it has found it.
struct alignas(16) StreamFacts {
  std::uint64_t digest = 0;
  std::uint64_t range_min = 0, range_max = 0;
  std::uint32_t range_kind = 0, is_known = 0;
};

struct CompressJob {
  FrameRules rules;
  std::uint32_t dimensionality = 1;
  std::uint32_t element_bytes = 1;
  std::uint32_t header_crc = 0;
  DType dtype = DType::u8;
  LeafFront leaf;                              ///< Of a codec.
  std::uint64_t row_elements = 1;              ///< Of one outermost entry.
  bool is_scalar = false;                      ///< Rank 0.
  std::uint64_t outer_size_of_empty_rows = 0;  ///< The outermost dimension if another one is 0.
  std::uint64_t item_count = 1;
  const BatchItem* batch = nullptr;  ///< In device memory, or null: then there is `single`.
  BatchItem single;
  const std::uint64_t* device_bytes = nullptr;  ///< Of `single`, or null.
  ItemResult* results = nullptr;

  // In the workspace
  Counters* counters = nullptr;
  std::uint64_t* states = nullptr;  ///< Per chunk, or segment: OffsetState.
  std::uint64_t states_bytes = 0;   ///< Of all of them.
  std::uint64_t* entries =
      nullptr;  ///< Per chunk: checksum, stored bytes << 32, mode << 48, as in the digest.
  CompressItem* items = nullptr;
  std::uint32_t chunk_capacity = 0;  ///< Chunks that the workspace has room for.
  std::uint32_t unit_capacity = ~std::uint32_t{0};
  HistoryTables history;
  /// If segments have trees: where their streams lie in the frames, per segment, and per item what became of
  /// its segments.
  SegmentEntry* streams = nullptr;
  StreamFacts* facts = nullptr;  ///< The same; zero in the beginning.
  ItemResult* encoded = nullptr;

  std::uint8_t header[max_device_header_bytes] = {};
};

/// One frame that is being decompressed.
struct DecodeItem {
  const std::uint8_t* frame = nullptr;
  std::uint8_t* out = nullptr;  ///< Where the slice's first byte goes.
  std::uint64_t frame_bytes = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t begin = 0, end = 0;  ///< Bytes of the content that are wanted.
  std::uint64_t segment_bytes = 0;   ///< Content of every segment but the last, or of the only one.
  std::uint64_t footer_offset = 0;
  std::uint64_t digest = 0;  ///< As the footer says.
  std::uint64_t found_digest = 0;
  std::uint32_t header_bytes = 0;
  std::uint32_t header_crc = 0;
  std::uint32_t segment_count = 0;
  std::uint32_t first_segment = 0, segments = 0;  ///< That overlap the slice.
  std::uint32_t first_chunk = 0, chunks = 0;      ///< That overlap the slice.
  std::uint32_t first_task = 0;                   ///< Of its first chunk, among those of all items.
  std::uint32_t first_unit = 0;                   ///< Of its first segment, likewise.
  std::uint32_t units_done = 0;
  bool checksums = false;
};

/// One chunk that is wanted, checked as far as its segment's table says.
struct ChunkTask {
  const std::uint8_t* payload = nullptr;  ///< Null if its segment is damaged.
  std::uint8_t* chunk = nullptr;          ///< Where byte 0 of the chunk goes, or would go.
  std::uint32_t checksum = 0;
  std::uint16_t stored_bytes = 0;
  std::uint16_t chunk_bytes = 0;
  std::uint16_t begin = 0, end = 0;  ///< Bytes of the chunk that are wanted.
  std::uint8_t mode = 0;
  std::uint8_t dimensionality = 1;
  std::uint8_t checksums = 0;
  std::uint32_t item = 0;
};
static_assert(sizeof(ChunkTask) == 40);

/// One segment of a tree that is being decoded. Nothing is wanted of it if its words are 0.
struct StreamTask {
  const std::uint8_t* data = nullptr;  ///< The stream; null if the segment is damaged.
  std::uint8_t* out = nullptr;         ///< Where the first wanted word goes.
  std::uint32_t bytes = 0, words = 0;
  std::uint32_t begin = 0, end = 0;  ///< Words of the segment that are wanted.
  std::uint32_t item = 0;
  std::uint32_t code = 0;    ///< Of what is damaged: an ErrorCode.
  std::uint64_t offset = 0;  ///< In the frame: of the stream, or of what is damaged.
  /// Who verifies the stream: a kernel for all streams, or whoever decodes it. `damaged`: it was found to
  /// have another digest; what is made of it does not count.
  enum Check : std::uint32_t { by_kernel, by_decoder, damaged };
  std::uint64_t digest = 0;  ///< That the stream must have.
  std::uint32_t check = by_kernel, checksums = 0;
};

/// One segment that is being decoded, of a codec with a stage over the segment.
struct HistorySegment {
  static constexpr std::uint32_t in_place = ~std::uint32_t{0};
  static constexpr std::uint32_t no_kind = 255;

  std::uint32_t item = 0;
  std::uint32_t kind = no_kind;  ///< As in the front; no_kind if there is no room for it.
  std::uint32_t first_task = 0, tasks = 0;
  std::uint32_t first_tile = 0, tiles = 0;  ///< Chunks of content; only of segments of kind 1.
  std::uint32_t scratch = in_place;         ///< The first tile of its values, if it is not wanted as a whole.
  std::uint32_t failed = 0;                 ///< Not 0 if a chunk is damaged.
  std::uint64_t begin = 0;                  ///< Of its content, in the array.
  std::uint64_t content_bytes = 0;
};

/// Memory of codecs with a stage over the segment, all in the workspace; null for others.
struct HistoryRead {
  HistorySegment* segments = nullptr;
  std::uint32_t* pointers = nullptr;       ///< Per word of segments of kind 1.
  std::uint32_t* tile_segments = nullptr;  ///< Per tile: whose it is.
  std::uint32_t* tiles_left = nullptr;     ///< Per tile: whether pointers are left.
  std::uint8_t* scratch = nullptr;         ///< Values of segments that are not wanted as a whole.
  std::uint32_t task_capacity = 0, tile_capacity = 0, scratch_capacity = 0;
};

struct DecodeJob {
  std::uint64_t item_count = 1;
  const BatchItem* batch = nullptr;  ///< In device memory, or null: then there is `single`.
  BatchItem single;
  const std::uint64_t* device_bytes = nullptr;  ///< Of the frame of `single`, or null.
  Slice slice;                                  ///< Elements; count is ~0 for all.
  DType dtype = DType::u8;                      ///< That frames must have.
  std::uint8_t codec_id = 0;                    ///< That all streams must have; 0: any trees.
  std::uint8_t max_dimensionality = 1;          ///< Of that codec.
  std::uint8_t max_kind = 0;                    ///< Likewise.
  ItemResult* results = nullptr;

  // In the workspace
  Counters* counters = nullptr;
  DecodeItem* items = nullptr;
  ChunkTask* tasks = nullptr;
  std::uint32_t chunk_capacity = 0;  ///< Tasks that the workspace has room for.
  std::uint32_t unit_capacity = ~std::uint32_t{0};
  HistoryRead history;
  StreamTask* streams = nullptr;         ///< If segments have trees: per segment, `unit_capacity` of them.
  std::uint64_t max_stream_content = 0;  ///< Bytes of words of a segment that there is memory for.
};

/// The kernels around the chunks: what is set up before them, and the parts of frames that are not payloads.
/// All of them run with any number of blocks of frame_threads threads, whose shared memory is a FrameMemory;
/// finish_streams with blocks of stream_threads, read_streams of reading_threads.
struct FrameKernels {
  void (*set_up_compression)(CompressJob) = nullptr;  ///< Numbers of the items' chunks and segments.
  void (*finish_frames)(CompressJob) = nullptr;   ///< After the chunks: headers, tables, footers, results.
  void (*finish_streams)(CompressJob) = nullptr;  ///< The same around streams of trees.
  void (*read_frames)(DecodeJob) = nullptr;  ///< Headers and footers, then the numbers of the items' chunks.
  void (*read_segments)(DecodeJob) = nullptr;  ///< Headers and tables of segments, which give the tasks.
  void (*read_streams)(DecodeJob) = nullptr;   ///< Headers of segments with trees, likewise.
};
FrameKernels frame_kernels();

}  // namespace floe::gpu
