#include "gpu/history/read_history.cuh"
#include "gpu/history/sort_history.cuh"
#include "gpu/history/write_history.cuh"

namespace floe::gpu {

HistoryWriters dpratio_writers() {
  HistoryWriters writers{count_spans, add_up_spans, move_spans,   mark_tiles, link_tiles,
                         match_tiles, encode_slots, locate_parts, copy_slots, finish_history};
  writers.passes = sort_passes;
  writers.mover_bytes = SpanMover::bytes;
  writers.coder_bytes = ChunkMemory::warp_bytes(TopsEncoder::encode_bytes);
  writers.max_warps = TopsLayout::max_warps;
  return writers;
}

HistoryReaders dpratio_readers() {
  HistoryReaders readers{locate_history,        read_history_segments, decode_history_chunks,
                         resolve_history_tiles, follow_history_tiles,  deliver_history_tiles};
  readers.fixed_bytes = ChunkMemory::fixed_bytes;
  readers.coder_bytes = ChunkMemory::warp_bytes(TopsDecoder::decode_bytes);
  readers.max_warps = TopsLayout::max_warps;
  return readers;
}

}  // namespace floe::gpu
