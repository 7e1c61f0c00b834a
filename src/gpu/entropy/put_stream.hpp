// A coded section with what stands before it to its position, and the digest of that stream: bytes are looked
// at while they are copied, and not read once more.
#pragma once

#include "gpu/entropy/encode_entropy.hpp"
#include "gpu/frames/segment_facts.hpp"

namespace floe::gpu {

/// Columns of the checksums of pieces of a stream.
inline constexpr std::uint32_t checksum_columns = core::ChecksumWeights::column_count;

/// Puts 16 bytes at a time, those at bytes [begin, end) of the stream at `out`, multiples of 16: load(at)
/// gives them. They are added to `sums`: columns, piece by piece. By a warp.
template <class Warp, class Load>
FLOE_DEVICE void put_vectors(Warp& warp, std::uint8_t* out, std::uint32_t begin, std::uint32_t end,
                             std::uint32_t* sums, const Load& load) {
  constexpr unsigned batch = 4, step = 16 * warp_lanes;
  constexpr auto piece_bytes = static_cast<std::uint32_t>(core::chunk_bytes);
  while (begin < end) {
    const std::uint32_t piece = begin / piece_bytes, behind = (piece + 1) * piece_bytes,
                        last = end < behind ? end : behind, own = begin + 16 * warp.lane();
    HalvesTimesBytes products[4];
    FLOE_NO_UNROLL
    for (std::uint32_t first = own; first < last; first += batch * step) {
      Quad v[batch] = {};
      FLOE_UNROLL
      for (unsigned k = 0; k < batch; ++k)
        if (first + k * step < last) v[k] = load(first + k * step);
      FLOE_UNROLL
      for (unsigned k = 0; k < batch; ++k) {
        const std::uint32_t at = first + k * step;
        if (at >= last) continue;
        const std::uint32_t row = checksum_tables.rows[at % piece_bytes / core::ChecksumWeights::row_bytes];
        FLOE_UNROLL
        for (unsigned i = 0; i < 4; ++i) products[i].add(v[k].word[i], row);
        store_aligned(out + at, v[k]);
      }
    }
    std::uint32_t* const columns = sums + piece * checksum_columns + own / 16 % 8 * 4;
    FLOE_UNROLL
    for (unsigned i = 0; i < 4; ++i)
      if (own < last) atomic_add(columns + i, products[i].sum());
    begin = last;
  }
}

/// 16 of 32 bytes, from `skip` words and `bits` bits on.
template <unsigned skip>
FLOE_DEVICE Quad shifted_quad(const Quad& here, const Quad& behind, unsigned bits) {
  const std::uint32_t word[8] = {here.word[0],   here.word[1],   here.word[2],   here.word[3],
                                 behind.word[0], behind.word[1], behind.word[2], behind.word[3]};
  Quad quad;
  FLOE_UNROLL
  for (unsigned i = 0; i < 4; ++i) quad.word[i] = funnel_right(word[skip + i], word[skip + i + 1], bits);
  return quad;
}

/// Puts block `i` of the section that begins at byte `section` of the stream at `out`. By a warp.
template <class Warp>
FLOE_DEVICE_CALL void put_block(Warp& warp, const CodedBlocks& blocks, const BlockSlots& slots,
                                std::uint32_t i, std::uint32_t section, std::uint8_t* out,
                                std::uint32_t* sums) {
  const std::uint8_t* const front = slots.front(blocks, i);
  const std::uint8_t* const numbers =
      slots.slot(blocks, i) + slots.bytes(blocks, i) - 2 * std::uint64_t{blocks.numbers[i]};
  const std::uint32_t begin = section + blocks.starts[i], front_end = begin + blocks.front_bytes(i),
                      numbers_end = front_end + 2 * blocks.numbers[i],
                      end = section + (i + 1 < blocks.count() ? blocks.starts[i + 1] : blocks.end),
                      full_front = front_end / 16 * 16, numbers_begin = (front_end + 15) / 16 * 16,
                      full_numbers = numbers_end / 16 * 16;
  put_vectors(warp, out, begin, full_front, sums,
              [&](std::uint32_t at) { return load_aligned<Quad>(front + (at - begin)); });
  const std::uint8_t* const own_numbers = numbers + (numbers_begin - front_end);
  const auto misaligned = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(own_numbers) % 16);
  const auto put_numbers = [&]<unsigned skip>(std::integral_constant<unsigned, skip>) {
    put_vectors(warp, out, numbers_begin, full_numbers, sums, [&](std::uint32_t at) {
      const std::uint8_t* const from = own_numbers - misaligned + (at - numbers_begin);
      return shifted_quad<skip>(load_aligned<Quad>(from), load_aligned<Quad>(from + 16), misaligned % 4 * 8);
    });
  };
  if (misaligned < 4) {
    put_numbers(std::integral_constant<unsigned, 0>{});
  } else if (misaligned < 8) {
    put_numbers(std::integral_constant<unsigned, 1>{});
  } else if (misaligned < 12) {
    put_numbers(std::integral_constant<unsigned, 2>{});
  } else {
    put_numbers(std::integral_constant<unsigned, 3>{});
  }
  // What has bytes of both, or zeros behind the numbers.
  const auto load_bytes = [&](std::uint32_t at) {
    Quad quad = {};
    for (unsigned k = 0; k < 16; ++k) {
      const std::uint32_t byte = at + k < front_end     ? front[at + k - begin]
                                 : at + k < numbers_end ? numbers[at + k - front_end]
                                                        : 0;
      quad.word[k / 4] |= byte << (8 * (k % 4));
    }
    return quad;
  };
  put_vectors(warp, out, full_front, numbers_begin, sums, load_bytes);
  put_vectors(warp, out, full_numbers > numbers_begin ? full_numbers : numbers_begin, end, sums, load_bytes);
}

/// Puts the blocks of a section to the stream of `bytes` bytes at `out`, a multiple of 16, where what stands
/// before them is already, and what stands from `behind` on, with zeros up to a multiple of 16. Returns the
/// digest of the stream. `sums`: shared memory for the columns of its pieces; `totals`: for a number per
/// warp. By all threads; with barriers.
template <class Block>
FLOE_DEVICE std::uint64_t put_blocks_of_stream(Block& block, const CodedBlocks& blocks,
                                               const BlockSlots& slots, std::uint32_t section,
                                               std::uint32_t behind, std::uint8_t* out, std::uint32_t bytes,
                                               std::uint32_t* sums, std::uint64_t* totals) {
  auto& warp = block.warp();
  const auto pieces = static_cast<std::uint32_t>(core::divide_up(bytes, core::chunk_bytes));
  for (std::uint32_t i = block.rank(); i < pieces * checksum_columns; i += block.size()) sums[i] = 0;
  block.sync();
  for (std::uint32_t i = block.warp_index(); i < blocks.count(); i += block.warp_count())
    put_block(warp, blocks, slots, i, section, out, sums);
  const auto load_put = [&](std::uint32_t at) { return load_aligned<Quad>(out + at); };
  if (block.warp_index() + 1 == block.warp_count())
    put_vectors(warp, out, 0, section + blocks.starts[0], sums, load_put);
  constexpr std::uint32_t some = 4096;
  FLOE_NO_UNROLL
  for (std::uint32_t at = behind + some * block.warp_index(); at < bytes; at += some * block.warp_count())
    put_vectors(warp, out, at, (bytes - at < some ? bytes - at + 15 : some) / 16 * 16 + at, sums, load_put);
  block.sync();
  std::uint64_t digest = 0;
  for (std::uint32_t piece = block.warp_index(); piece < pieces; piece += block.warp_count()) {
    const std::uint32_t column = warp.lane(),
                        left = bytes - piece * static_cast<std::uint32_t>(core::chunk_bytes),
                        stored =
                            left < core::chunk_bytes ? left : static_cast<std::uint32_t>(core::chunk_bytes),
                        checksum = checksum_of_sums(warp, column, sums[piece * checksum_columns + column],
                                                    checksum_tables);
    if (warp.lane() == 0)
      digest += core::digest_term(piece, checksum, static_cast<std::uint16_t>(stored), chunks::mode_raw);
  }
  return block_scan(block, totals, digest).total;
}

}  // namespace floe::gpu
