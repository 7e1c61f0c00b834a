// How a warp shares the words of GFC: 16 bytes of 512 per lane (docs/format/stages/byte_pack.md).
#pragma once

#include "chunks/stages/stages.hpp"
#include "core/chunk.hpp"
#include "gpu/warp/lane_bytes.hpp"

namespace floe::gpu {

template <core::Word W>
struct BytePackLayout {
  static constexpr std::uint32_t word_bytes = sizeof(W);
  static constexpr std::uint32_t group_words = stages::lanes;
  static constexpr std::uint32_t group_bytes = group_words * sizeof(W);
  static constexpr std::uint32_t code_bytes = group_words / 2;
  static constexpr std::uint32_t max_groups = core::chunk_bytes / group_bytes;
  static constexpr unsigned lane_words = Vector<W>::size;
  static constexpr unsigned group_lanes = group_words / lane_words;
  static constexpr unsigned step_words = warp_lanes * lane_words;
  static constexpr unsigned step_groups = warp_lanes / group_lanes;
};

}  // namespace floe::gpu
