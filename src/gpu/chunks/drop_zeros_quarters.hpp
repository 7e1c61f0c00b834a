// SPratio on four warps (shared_chunks.hpp). A lane transposes one square of 32 words in its registers.
#pragma once

#include "gpu/chunks/drop_zeros_chunk.hpp"
#include "gpu/chunks/shared_chunks.hpp"

namespace floe::gpu {

struct DropZerosQuarters {
  using Word = std::uint32_t;
  static constexpr unsigned steps = 6;
  static constexpr std::uint32_t bitmap_bytes = core::chunk_bytes / 8;
  static constexpr std::uint32_t bitmap = core::chunk_bytes + 16, scratch = bitmap + bitmap_bytes;
  static constexpr std::uint32_t buffer_bytes = scratch + 512;

  /// Bytes of the quarter that are kept: of the planes, and of the bitmap.
  struct Share {
    std::uint32_t kept, kept_of_bitmap;
    std::uint32_t stored;  ///< Of the last quarter.
  };
  struct State {
    Vector<Word> row[quarter_rows];             ///< Words, a square, planes, or what is kept of them.
    std::uint32_t kept[quarter_rows / 2] = {};  ///< Which bytes are kept, 16 bits for each row.
  };

  /// One of the steps. In the end the payload lies at the front of the buffer, padded with zeros.
  template <unsigned step, class Warp>
  static FLOE_DEVICE void run(Warp& warp, const QuarterContent& content, std::uint8_t* buffer, State& state,
                              Share (&share)[quarters]) {
    const unsigned quarter = content.quarter;
    if constexpr (step == 0) {
      fold(warp, content, buffer + quarter_bytes * quarter, state);
      transpose_square(state);
    } else if constexpr (step == 1) {
      FLOE_UNROLL
      for (unsigned plane = 0; plane < 32; ++plane)
        store_aligned(buffer + 4 * (128 * plane + warp_lanes * quarter + warp.lane()),
                      state.row[plane / 4].word[plane % 4]);
    } else if constexpr (step == 2) {
      const std::uint32_t kept = drop(warp, buffer, quarter, state);
      if (warp.lane() == 0) share[quarter].kept = kept;
    } else if constexpr (step == 3) {
      const std::uint32_t begin = sum_of<&Share::kept>(share, quarter);
      zero_ahead(warp, buffer, begin, begin + share[quarter].kept);
      LevelRows rows(warp, buffer, quarter);
      std::uint32_t kept = 0;
      FLOE_UNROLL
      for (unsigned r = 0; r < level_rows; ++r) {
        store_nibbles(warp, buffer + scratch + (quarter * level_rows + r) * warp_lanes / 2, rows.kept[r]);
        kept += count_bits(rows.kept[r]);
      }
      kept = warp.reduce_add(kept);
      if (warp.lane() == 0) share[quarter].kept_of_bitmap = kept;
    } else if constexpr (step == 4) {
      write_kept(warp, buffer, sum_of<&Share::kept>(share, quarter), state);
    } else {
      const std::uint32_t kept = sum_of<&Share::kept>(share, quarters);
      if (kept != 0)
        write_level(warp, buffer, kept + sum_of<&Share::kept_of_bitmap>(share, quarter), quarter);
      if (quarter != quarters - 1) return;
      const std::uint32_t stored =
          write_end(warp, buffer, kept, kept + sum_of<&Share::kept_of_bitmap>(share, quarters));
      if (warp.lane() == 0) share[quarter].stored = stored;
    }
  }

  /// The payload's size, or stored_raw.
  static FLOE_DEVICE std::uint32_t stored(const Share (&share)[quarters]) {
    return share[quarters - 1].stored;
  }

 private:
  static constexpr unsigned batch = 2;  ///< Rows side by side.
  static constexpr unsigned level_rows = bitmap_bytes / quarters / (4 * warp_lanes);

  /// Of the quarters before `quarter`.
  template <std::uint32_t Share::*number>
  static FLOE_DEVICE std::uint32_t sum_of(const Share (&share)[quarters], unsigned quarter) {
    std::uint32_t sum = 0;
    FLOE_UNROLL
    for (unsigned q = 0; q < quarters; ++q) sum += q < quarter ? share[q].*number : 0;
    return sum;
  }

  /// Delta and zig-zag; then each lane gets the 32 words of a square, through the warp's part of the buffer.
  template <class Warp>
  static FLOE_DEVICE void fold(Warp& warp, const QuarterContent& content, std::uint8_t* squares,
                               State& state) {
    load_rows(warp, content.bytes, state.row);
    Word carry = content.quarter == 0 ? 0 : load_aligned<Word>(content.bytes - sizeof(Word));
    FLOE_UNROLL
    for (unsigned r = 0; r < quarter_rows; ++r) {
      Vector<Word>& v = state.row[r];
      Word previous = word_before(warp, v.word[3], carry);
      FLOE_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const Word word = v.word[i];
        v.word[i] = core::zigzag(stages::Delta::residual(word, previous));
        previous = word;
      }
      store_aligned(squares + quad_offset(4 * r + warp.lane() / 8, warp.lane() % 8), v);
    }
    warp.sync();
    FLOE_UNROLL
    for (unsigned quad = 0; quad < 8; ++quad)
      state.row[quad] = load_aligned<Vector<Word>>(squares + quad_offset(warp.lane(), quad));
  }

  static FLOE_DEVICE void transpose_square(State& state) {
    BitSquare square;
    FLOE_UNROLL
    for (unsigned i = 0; i < 32; ++i) square.row[i] = state.row[i / 4].word[i % 4];
    transpose(square);
    FLOE_UNROLL
    for (unsigned i = 0; i < 32; ++i) state.row[i / 4].word[i % 4] = square.row[i];
  }

  /// Takes a quarter of the planes' bytes into registers, moves those that are not 0 together in each word,
  /// and names them in the bitmap. Returns how many.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t drop(Warp& warp, std::uint8_t* buffer, unsigned quarter, State& state) {
    std::uint32_t total = 0;
    FLOE_UNROLL
    for (unsigned r = 0; r < quarter_rows; ++r)
      state.row[r] =
          load_aligned<Vector<Word>>(buffer + quarter_bytes * quarter + row_bytes * r + 16 * warp.lane());
    FLOE_NO_UNROLL
    for (unsigned first = 0; first < quarter_rows; first += batch) {
      std::uint32_t kept_of_rows = 0;
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        std::uint32_t kept_of_row = 0;
        FLOE_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
          Word& word = state.row[b].word[i];
          const std::uint32_t kept = nonzero_bytes(word);
          word = compact_bytes(word, kept);
          kept_of_row |= kept << (4 * i);
        }
        const std::uint32_t at = quarter_bytes * quarter + row_bytes * (first + b) + 16 * warp.lane();
        store_aligned(buffer + bitmap + at / 8, static_cast<std::uint16_t>(kept_of_row));
        kept_of_rows |= kept_of_row << (16 * b);
      }
      total += count_bits(kept_of_rows);
      rotate<batch>(state.row);
      state.kept[0] = kept_of_rows;
      rotate_pairs(state.kept);
    }
    return warp.reduce_add(total);
  }

  /// Writes what is kept of the planes, where memory is zero.
  template <class Warp>
  static FLOE_DEVICE void write_kept(Warp& warp, std::uint8_t* buffer, std::uint32_t position, State& state) {
    FLOE_NO_UNROLL
    for (unsigned first = 0; first < quarter_rows; first += batch) {
      LaneBytes bytes[batch];
      std::uint32_t inclusive[batch];
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        std::uint32_t count[4];
        FLOE_UNROLL
        for (unsigned i = 0; i < 4; ++i) count[i] = count_bits(state.kept[0] >> (16 * b + 4 * i) & 15);
        bytes[b] = join_bytes(state.row[b].word, count);
        inclusive[b] = bytes[b].count;
      }
      inclusive_scans(warp, inclusive);
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        write_lane_bytes(warp, buffer, position + inclusive[b] - bytes[b].count, bytes[b]);
        position += warp.shuffle(inclusive[b], warp_lanes - 1);
      }
      rotate<batch>(state.row);
      rotate_pairs(state.kept);
    }
  }

  /// A quarter of the bitmap: four bytes of a lane in each row, and which differ from the byte before.
  struct LevelRows {
    std::uint32_t word[level_rows], kept[level_rows];

    template <class Warp>
    FLOE_DEVICE LevelRows(Warp& warp, const std::uint8_t* buffer, unsigned quarter) {
      FLOE_UNROLL
      for (unsigned r = 0; r < level_rows; ++r) {
        const std::uint32_t at = (quarter * level_rows + r) * warp_lanes + warp.lane();
        word[r] = word32(buffer + bitmap, at);
        const std::uint32_t before = at == 0 ? 0 : word32(buffer + bitmap, at - 1);
        kept[r] = nonzero_bytes(word[r] ^ funnel_left(before, word[r], 8));
      }
    }
  };

  /// Writes what is kept of a quarter of the bitmap.
  template <class Warp>
  static FLOE_DEVICE void write_level(Warp& warp, std::uint8_t* buffer, std::uint32_t position,
                                      unsigned quarter) {
    const LevelRows rows(warp, buffer, quarter);
    std::uint32_t inclusive[level_rows];
    FLOE_UNROLL
    for (unsigned r = 0; r < level_rows; ++r) inclusive[r] = count_bits(rows.kept[r]);
    inclusive_scans(warp, inclusive);
    FLOE_UNROLL
    for (unsigned r = 0; r < level_rows; ++r) {
      std::uint32_t at = position + inclusive[r] - count_bits(rows.kept[r]);
      FLOE_UNROLL
      for (unsigned b = 0; b < 4; ++b) {
        if ((rows.kept[r] >> b & 1) == 0) continue;
        if (at < core::chunk_bytes) buffer[at] = static_cast<std::uint8_t>(rows.word[r] >> (8 * b));
        ++at;
      }
      position += warp.shuffle(inclusive[r], warp_lanes - 1);
    }
  }

  /// Writes the upper levels, the length, and padding. Returns the payload's size, or stored_raw.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t write_end(Warp& warp, std::uint8_t* buffer, std::uint32_t kept,
                                             std::uint32_t position) {
    constexpr std::uint32_t limit = core::chunk_bytes;
    if (kept != 0)
      position =
          append_levels<bitmap_bytes / 8>(warp, buffer, position, limit, buffer + scratch, buffer + scratch);
    else
      position = 0;
    if (position + 2 >= core::chunk_bytes) return stored_raw;
    if (warp.lane() < 2)
      buffer[position + warp.lane()] = static_cast<std::uint8_t>(core::chunk_bytes >> (8 * warp.lane()));
    zero_bytes(warp, buffer, position + 2, (position + 2 + 15) / 16 * 16);
    return position + 2;
  }
};

}  // namespace floe::gpu
