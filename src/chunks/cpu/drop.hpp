// DropShape: units that are zero are dropped.
#pragma once

#include "chunks/cpu/bitmap_levels.hpp"
#include "chunks/cpu/workspace.hpp"
#include "chunks/stages/shape.hpp"

namespace floe::cpu {

/// Payload: kept units; if there is one, the levels of the bitmap of kept units; the original length, 2
/// bytes.
template <class Stage, core::Word W>
std::size_t encode(stages::DropShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  static_assert(sizeof(typename Stage::Unit) == 1, "no tail is defined for larger units yet");
  if (in_bytes > core::chunk_bytes) return no_result;
  Bitmap<typename Stage::Unit> bitmap{};
  std::size_t out_bytes = 0;
  const auto append_nonzero = [&](std::uint64_t bytes, std::size_t i) {
    const std::uint64_t kept = nonzero_flags(bytes);
    bitmap[i / 8] = mask_of(kept);
    out_bytes += append_chosen(bytes, kept, out + out_bytes);
  };
  std::size_t i = 0;
  for (; i + 8 <= in_bytes; i += 8) append_nonzero(core::load<std::uint64_t>(in + i), i);
  if (i < in_bytes) {
    std::uint64_t last = 0;
    std::memcpy(&last, in + i, in_bytes - i);
    append_nonzero(last, i);
  }
  if (out_bytes > 0) out_bytes += append_levels(bitmap, out + out_bytes);
  core::store(out + out_bytes, static_cast<std::uint16_t>(in_bytes));
  out_bytes += 2;
  return out_bytes < core::chunk_bytes ? out_bytes : no_result;
}

template <class Stage, core::Word W>
std::size_t decode(stages::DropShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  if (in_bytes < 2) return no_result;
  std::size_t rest_bytes = in_bytes - 2;
  const std::size_t length = core::load<std::uint16_t>(in + rest_bytes);
  if (length > core::chunk_bytes) return no_result;
  Bitmap<typename Stage::Unit> bitmap{};
  if (rest_bytes > 0 && !take_levels(in, rest_bytes, bitmap)) return no_result;
  if (count_ones(bitmap.data(), bitmap.size()) != rest_bytes || any_bit_from(bitmap, length))
    return no_result;

  std::size_t taken = 0;
  for (std::size_t i = 0; i < length; i += 8) {
    const std::uint64_t kept = flags_of(bitmap[i / 8]);
    core::store(out + i, spread_chosen(in + taken, kept));
    taken += ranks_of(kept) >> 56;
  }
  return length;
}

}  // namespace floe::cpu
