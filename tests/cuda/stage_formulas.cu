// Every word formula of every stage, called from a kernel: what nvcc refuses here, a GPU backend could not
// use.
#include <cstdint>

#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"

namespace floe {
namespace {

// One formula after the other on the thread's word; the sum only keeps the compiler from dropping them.

template <core::Word W>
__device__ W core_formulas(W w, unsigned index) {
  return static_cast<W>(core::bit_length(w) + core::low_mask<W>(index) + core::divide_up(w, 3) +
                        core::align_up(w, 16));
}

template <core::Word W, stages::MapStage<W> Stage>
__device__ W map_formulas(W w) {
  return static_cast<W>(Stage::forward(w) + Stage::inverse(w));
}

template <core::Word W, stages::ScanStage<W> Stage>
__device__ W scan_formulas(W w, W previous) {
  return static_cast<W>(Stage::residual(w, previous) + Stage::combine(w, previous));
}

template <core::Word W, stages::LaneScanStage<W> Stage>
__device__ W lane_scan_formulas(W w, W previous, unsigned lane) {
  return static_cast<W>(Stage::residual(w, previous) + Stage::combine(w, previous) +
                        Stage::source_lane(lane, 3));
}

template <core::Word W, stages::TileStage<W> Stage>
__device__ W tile_formulas(unsigned index) {
  return static_cast<W>(Stage::template source_bit<W>(index) + Stage::template target_bit<W>(index));
}

template <core::Word W, stages::PackStage<W> Stage>
__device__ W pack_formulas(W w) {
  return static_cast<W>(Stage::fold(w) + Stage::unfold(w) + stages::width_field_bits<W>);
}

template <core::Word W, stages::OffsetPackStage<W> Stage>
__device__ W offset_pack_formulas(W w, W base) {
  return static_cast<W>(Stage::residual(w, base) + Stage::combine(w, base) + Stage::fold(w) +
                        Stage::unfold(w) + Stage::ordered(w) + Stage::offset(w, base) + Stage::word(w, base));
}

template <core::Word W, stages::BytePackStage<W> Stage>
__device__ W byte_pack_formulas(W w) {
  const unsigned code = Stage::code(w);
  return static_cast<W>(Stage::payload(w) + Stage::template payload_bytes<W>(code) + Stage::word(code, w));
}

template <core::Word W, stages::DropTopsStage<W> Stage>
__device__ W drop_tops_formulas(W w, W previous) {
  return Stage::difference(w, previous);
}

static_assert(stages::DropStage<stages::DropZeroBytes>, "a shape without word formulas");

}  // namespace

// Outside the unnamed namespace, or nvcc drops the kernels before it compiles them for a device.
template <core::Word W>
__global__ void all_formulas(W* words) {
  const unsigned lane = threadIdx.x;
  const W w = words[lane];
  const W previous = words[lane + 1];
  W sum = core_formulas(w, lane);
  sum = static_cast<W>(sum + map_formulas<W, stages::ZigZag>(w));
  sum = static_cast<W>(sum + scan_formulas<W, stages::Delta>(w, previous));
  sum = static_cast<W>(sum + lane_scan_formulas<W, stages::LaneDelta>(w, previous, lane));
  sum = static_cast<W>(sum + tile_formulas<W, stages::BitTranspose>(lane));
  sum = static_cast<W>(sum + pack_formulas<W, stages::BitPack>(w));
  if constexpr (sizeof(W) <= 2)
    sum = static_cast<W>(sum + offset_pack_formulas<W, stages::OffsetPack>(w, previous));
  sum = static_cast<W>(sum + byte_pack_formulas<W, stages::BytePack>(w));
  sum = static_cast<W>(sum + drop_tops_formulas<W, stages::DropZeroTops>(w, previous));
  sum = static_cast<W>(sum + drop_tops_formulas<W, stages::DropRepeatedTops>(w, previous));
  words[lane] = static_cast<W>(sum + stages::MatchHistory::hash(w));
}

template __global__ void all_formulas(std::uint8_t*);
template __global__ void all_formulas(std::uint16_t*);
template __global__ void all_formulas(std::uint32_t*);
template __global__ void all_formulas(std::uint64_t*);

}  // namespace floe
