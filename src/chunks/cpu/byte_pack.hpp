// BytePackShape: groups of 32 words; 16 bytes of 4-bit codes, then the bytes that each code announces.
#pragma once

#include <algorithm>
#include <array>

#include "chunks/cpu/workspace.hpp"
#include "chunks/stages/shape.hpp"

namespace floe::cpu {

inline constexpr std::size_t code_bytes = stages::lanes / 2;

/// What a code says about the bytes that follow, as tables: comparisons would be branches that no one can
/// predict.
template <class Stage, core::Word W>
struct CodeTables {
  std::array<std::uint8_t, 16> bytes{};
  std::array<W, 16> mask{};
  constexpr CodeTables() {
    for (unsigned code = 0; code < 16; ++code) {
      bytes[code] = static_cast<std::uint8_t>(Stage::template payload_bytes<W>(code));
      mask[code] = core::low_mask<W>(8 * Stage::template payload_bytes<W>(code));
    }
  }
};

/// Returns where the group ends. Every word is stored whole; the next one overwrites the bytes that its code
/// leaves out.
template <class Stage, core::Word W>
inline std::uint8_t* encode_group(const std::uint8_t* words, std::uint8_t* out) {
  static constexpr CodeTables<Stage, W> tables;
  std::uint8_t* next = out + code_bytes;
  for (std::size_t pair = 0; pair < code_bytes; ++pair) {
    const W even = core::load<W>(words + 2 * pair * sizeof(W)),
            odd = core::load<W>(words + (2 * pair + 1) * sizeof(W));
    const unsigned even_code = Stage::code(even), odd_code = Stage::code(odd);
    out[pair] = static_cast<std::uint8_t>(even_code | odd_code << 4);
    core::store(next, Stage::payload(even));
    next += tables.bytes[even_code];
    core::store(next, Stage::payload(odd));
    next += tables.bytes[odd_code];
  }
  return next;
}

/// A last group that is not full is filled up with zeros, which cost their codes only.
template <class Stage, core::Word W>
std::size_t encode(stages::BytePackShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext&) {
  static_assert(sizeof(W) >= 4, "stage_bytes counts on one code per 4 bytes at most");
  constexpr std::size_t group_bytes = stages::lanes * sizeof(W);
  const std::size_t words_end = in_bytes - in_bytes % sizeof(W);
  std::uint8_t* next = out;
  std::size_t first = 0;
  for (; first + group_bytes <= words_end; first += group_bytes)
    next = encode_group<Stage, W>(in + first, next);
  if (first < words_end) {
    std::uint8_t last_group[group_bytes] = {};
    std::copy(in + first, in + words_end, last_group);
    next = encode_group<Stage, W>(last_group, next);
  }
  next = std::copy(in + words_end, in + in_bytes, next);
  return static_cast<std::size_t>(next - out);
}

/// Returns where the group ends, which may lie past the end of the payload by as much as a group is long.
template <class Stage, core::Word W>
inline const std::uint8_t* decode_group(const std::uint8_t* in, std::uint8_t* words) {
  static constexpr CodeTables<Stage, W> tables;
  const std::uint8_t* next = in + code_bytes;
  for (std::size_t pair = 0; pair < code_bytes; ++pair) {
    const unsigned even = in[pair] & 15u, odd = in[pair] >> 4u;
    const W even_bytes = core::load<W>(next);
    next += tables.bytes[even];
    const W odd_bytes = core::load<W>(next);
    next += tables.bytes[odd];
    core::store(words + 2 * pair * sizeof(W),
                Stage::word(even, static_cast<W>(even_bytes & tables.mask[even])));
    core::store(words + (2 * pair + 1) * sizeof(W),
                Stage::word(odd, static_cast<W>(odd_bytes & tables.mask[odd])));
  }
  return next;
}

template <class Stage, core::Word W>
std::size_t decode(stages::BytePackShape, const std::uint8_t* __restrict in, std::size_t in_bytes,
                   std::uint8_t* __restrict out, const core::ChunkContext& context) {
  constexpr std::size_t group_bytes = stages::lanes * sizeof(W);
  const std::uint8_t* const end = in + in_bytes;
  const std::size_t tail_bytes = context.bytes % sizeof(W), words_end = context.bytes - tail_bytes;
  const std::uint8_t* next = in;
  for (std::size_t first = 0; first < words_end; first += group_bytes) {
    next = decode_group<Stage, W>(next, out + first);
    if (next > end) return no_result;
  }
  if (static_cast<std::size_t>(end - next) != tail_bytes) return no_result;
  std::copy(next, end, out + words_end);
  return context.bytes;
}

}  // namespace floe::cpu
