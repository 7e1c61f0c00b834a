// Brings the packed bytes of a vector to the warp that decodes it without a block. They land in its shared
// memory, all of them on their way at once. Vectors that are short or have exceptions become words there.
#pragma once

#include "gpu/unpack/unpack.hpp"
#include "gpu/unpack/unpack_chain.hpp"

namespace floe::gpu {

/// Half of a tile has room for the packed bytes of a vector of up to 32 bits per word, up to 16 bytes before
/// them, and a row behind them that is read and does not matter.
inline constexpr std::uint32_t tile_half = tile_bytes / 2 / 16 * 16;
static_assert(tile_half >= 16 + 32 * 128 + 128);

/// What a warp has in shared memory.
struct alignas(16) UnpackMemory {
  static constexpr std::uint32_t half = tile_half;
  UnpackChain chain;
  VectorEntry entry;
  alignas(16) std::uint8_t tile[tile_bytes + 16];
};

/// Moves rows of 128 bytes that landed in shared memory, `before` bytes, less than 16, behind `landed`, to
/// the beginning of a tile, `stride` apart.
template <std::uint32_t stride, class Warp>
FLOE_DEVICE void move_rows(Warp& warp, std::uint8_t* tile, const std::uint8_t* landed, unsigned before,
                           std::uint32_t rows) {
  constexpr unsigned batch = 4;
  const std::uint8_t* const from = landed + before / 4 * 4 + 4 * warp.lane();
  std::uint8_t* const to = tile + 4 * warp.lane();
  for (std::uint32_t first = 0; first < rows; first += batch) {
    std::uint32_t low[batch], high[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      low[i] = first + i < rows ? word32(from, (first + i) * warp_lanes) : 0;
      high[i] = first + i < rows ? word32(from, (first + i) * warp_lanes + 1) : 0;
    }
    // In place, or where the last row comes upon bytes that landed: lanes have read these.
    if (stride == 128 || first + batch >= rows) warp.sync();
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      if (first + i < rows)
        store_aligned(to + stride * (first + i), funnel_right(low[i], high[i], 8 * (before % 4)));
    }
  }
  warp.sync();
}

/// Begins to copy bytes to a multiple of 16 in a tile. Returns how many, less than 16, come before them.
template <class Warp>
FLOE_DEVICE unsigned begin_landing(Warp& warp, const std::uint8_t* packed, std::uint32_t bytes,
                                   std::uint8_t* tile) {
  const auto before = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(packed) % 16);
  const std::uint32_t end = before + bytes;
  for (std::uint32_t i = 16 * warp.lane(); i < end; i += 16 * warp_lanes)
    begin_copy(tile + i, packed - before + i, end - i < 16 ? end - i : 16);
  return before;
}

/// The packed bytes of the vector that a warp takes next, if it is a full one; else null.
struct NextVector {
  const std::uint8_t* packed = nullptr;
  unsigned width = 0;
  bool is_patched = false;  ///< It has exceptions: its words will be put to the beginning of the tile.
};

/// Waits for the packed bytes of a Worker's vector, a full one, which land at `at` if they are not on their
/// way to some other address. A Worker has warp(), memory(), next(), and landing(): where the bytes of its
/// vector are on their way to; null if they are not. Returns the address, a multiple of 16, where they
/// have as many bytes before them as their address is beyond a multiple of 16.
template <class Worker>
FLOE_DEVICE std::uint8_t* end_landing(Worker& worker, const std::uint8_t* packed, unsigned width,
                                      std::uint8_t* at) {
  std::uint8_t*& landing = worker.landing();
  if (landing == nullptr) {
    begin_landing(worker.warp(), packed, 128 * width, at);
  } else {
    at = landing;
    landing = nullptr;
  }
  end_copies();
  worker.warp().sync();
  return at;
}

/// Begins to copy the bytes of the vector after this one to `at`, a multiple of 16, if `room` is enough for
/// them. `is_behind`: words of a vector at the tile's beginning would not reach it.
template <class Worker>
FLOE_DEVICE void land_next(Worker& worker, std::uint8_t* at, std::uint32_t room, bool is_behind) {
  const NextVector next = worker.next();
  if (next.packed == nullptr || 128 * next.width + 16 > room || (next.is_patched && !is_behind)) return;
  begin_landing(worker.warp(), next.packed, 128 * next.width, at);
  worker.landing() = at;
}

/// The packed bytes of a Worker's vector where packs can be loaded: up to 16 bytes behind where they land.
template <core::Word W, class Worker>
FLOE_DEVICE std::uint8_t* land(Worker& worker, const std::uint8_t* packed, unsigned width, std::uint8_t* at) {
  const auto before = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(packed) % 16);
  std::uint8_t* const landed = end_landing(worker, packed, width, at);
  if (before % sizeof(typename Pack<W>::Bits) == 0) return landed + before;
  move_rows<128>(worker.warp(), landed, landed, before, width);
  return landed;
}

/// Words of a vector in a tile; those behind the last one are zero.
template <core::Word W>
struct PlainTile {
  const std::uint8_t* tile;
  unsigned lane;
  FLOE_DEVICE Pack<W> row(unsigned row) const {
    return load_pack<W>(tile, row * row_words<W> + lane * Pack<W>::words);
  }
};

/// Words of a short or patched vector, in the Worker's tile. False to all if an exception has no place in it.
template <core::Word W, class Worker>
FLOE_DEVICE bool put_vector(Worker& worker, std::uint32_t count) {
  auto& warp = worker.warp();
  auto& memory = worker.memory();
  const VectorEntry& entry = memory.entry;
  const std::uint8_t* const bytes = memory.chain.bytes;
  const W base = static_cast<W>(entry.base);
  // As in unpack_vector: words at the tile's beginning do not come in the way of bytes at its end.
  if (count < tile_words) {
    const std::uint32_t size = (count * entry.width + 7) / 8;
    std::uint8_t* const end = memory.tile + sizeof memory.tile - 16 - (size + 15) / 16 * 16;
    const unsigned before = begin_landing(warp, bytes + entry.packed, size, end);
    end_copies();
    warp.sync();
    unpack_rest<W>(warp, end + before, count, entry.width, base, [&](std::uint32_t first, Pack<W> pack) {
      warp.sync();
      store_pack<W>(memory.tile, first, pack);
    });
  } else {
    const auto put = [&](std::uint32_t first, Pack<W> pack) { store_pack<W>(memory.tile, first, pack); };
    std::uint8_t* const end =
        memory.tile + sizeof memory.tile - 144 - (entry.width == 0 ? 128 : 128 * entry.width);
    const PackedRows<W> rows(warp, land<W>(worker, bytes + entry.packed, entry.width, end), entry.width,
                             base);
    give_rows<W, true>(
        warp, [&](unsigned row) { return rows.row(row); }, put);
  }
  return add_exceptions<W>(warp, bytes, entry, count, memory.tile);
}

}  // namespace floe::gpu
