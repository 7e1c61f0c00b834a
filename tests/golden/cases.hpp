// Which frames are golden files? One per row: the smallest content that shows a part of the format.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "core/word.hpp"
#include "floe/floe.hpp"
#include "tests/support/data.hpp"

namespace floe::test {

/// Word i of a content, in the lowest bits.
using WordAt = std::uint64_t (*)(std::uint64_t i, Random& random);

struct GoldenCase {
  std::string_view name;
  DType dtype;
  std::string_view codec;
  Extent extent;
  WordAt word;
  Options options = {};  ///< Without codec and prefix.
  std::string_view prefix = {};
};

namespace golden {

inline std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

inline std::uint64_t zero(std::uint64_t, Random&) { return 0; }
inline std::uint64_t counter(std::uint64_t i, Random&) { return i; }
inline std::uint64_t down(std::uint64_t i, Random&) { return 0 - i; }
inline std::uint64_t next_after_one_f32(std::uint64_t i, Random&) { return bits(1.0f) + i; }
inline std::uint64_t noise(std::uint64_t, Random& random) { return random.next(); }
inline std::uint64_t up_and_down(std::uint64_t i, Random&) { return i % 2 == 0 ? i : ~i; }
inline std::uint64_t ramp_f32(std::uint64_t i, Random&) {
  return bits(1.0f + 0x1p-16f * static_cast<float>(i));
}
inline std::uint64_t ramp_f64(std::uint64_t i, Random&) {
  return bits(1.0 + 0x1p-40 * static_cast<double>(i));
}
inline std::uint64_t hundredths_f64(std::uint64_t, Random& random) {
  return bits(0.01 * static_cast<double>(random.below(500)));
}
inline std::uint64_t period_f64(std::uint64_t i, Random&) {
  return bits(1.0 / static_cast<double>(1 + i % 12));
}
/// Nothing repeats, and the upper bits are the same: match_history does not pay in a short segment, the other
/// stages do.
inline std::uint64_t fractions_f64(std::uint64_t, Random& random) {
  return 0x3FF0000000000000 | random.next() >> 14;
}
inline std::uint64_t ones_then_fractions_f64(std::uint64_t i, Random& random) {
  return i < 2048 ? bits(1.0) : fractions_f64(i, random);
}
inline std::uint64_t one_f32(std::uint64_t, Random&) { return bits(1.0f); }
inline std::uint64_t one_f64(std::uint64_t, Random&) { return bits(1.0); }
inline std::uint64_t near_one_f16(std::uint64_t i, Random& random) { return 0x3C00 + i + random.below(4); }
/// A full chunk and 40 words of 32 bits: the first chunk can be coded, the second cannot.
inline std::uint64_t constant_then_noise(std::uint64_t i, Random& random) {
  return i < 4096 ? 0x42F6E979 : random.next();
}
/// Differences whose top bits are set and much the same: nothing for RAZE, something for RARE.
inline std::uint64_t large_steps(std::uint64_t i, Random& random) {
  return (i % 2 == 0 ? std::uint64_t{0x6555} << 48 : 0) + (random.next() >> 16);
}
/// Interleaved triples that move slowly.
inline std::uint64_t triples_f64(std::uint64_t i, Random&) {
  return bits(1000.0 * static_cast<double>(i % 3 + 1) + 0x1p-36 * static_cast<double>(i / 3));
}
inline std::uint64_t triples_f32(std::uint64_t i, Random&) {
  return bits(1000.0f * static_cast<float>(i % 3 + 1) + 0x1p-10f * static_cast<float>(i / 3));
}
/// Periodic words with nothing in common within a period.
template <std::uint64_t period>
std::uint64_t tuples(std::uint64_t i, Random&) {
  return (i % period + 1) * 0x0123456789ABCDEF + i / period;
}
/// Zeros, denormals, infinities and NaNs with payloads, of both signs, and the bits of integers that differ.
template <core::Word W, std::uint64_t repeats = 1>
std::uint64_t edges(std::uint64_t i, Random&) {
  static const std::vector<W> words = edge_words<W>();
  return words[i / repeats % words.size()];
}

constexpr Extent shape(std::initializer_list<std::uint64_t> sizes) {
  Extent extent;
  extent.rank = static_cast<std::uint32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), extent.size.begin());
  return extent;
}

constexpr std::uint64_t one_chunk = 16384;
inline constexpr Options small_segments = {.segment_bytes = one_chunk};
inline constexpr Options two_chunk_segments = {.segment_bytes = 2 * one_chunk};
inline constexpr Options no_checksums = {.checksum = false};
constexpr Options dimensionality(std::uint32_t values) { return {.dimensionality = values}; }

/// New rows go to the end. Rows are never changed or taken out: their files stay.
inline const std::vector<GoldenCase> cases = {
    // Every codec on what it is made for; a chunk of less than its full size.
    {"spspeed_f32", DType::f32, "spspeed", shape({100}), ramp_f32},
    {"spratio_f32", DType::f32, "spratio", shape({100}), ramp_f32},
    {"dpspeed_f64", DType::f64, "dpspeed", shape({100}), ramp_f64},
    {"dpratio_f64_no_history", DType::f64, "dpratio", shape({60}), fractions_f64},
    {"dpratio_f64_history", DType::f64, "dpratio", shape({180}), period_f64},
    {"gfc_f64_dimensionality_1", DType::f64, "gfc", shape({75}), ramp_f64},
    {"gfc_f32_dimensionality_1", DType::f32, "gfc", shape({75}), ramp_f32},
    {"speed8_u8", DType::u8, "speed8", shape({100}), counter},
    {"speed16_f16", DType::f16, "speed16", shape({100}), near_one_f16},
    // Every other element type; signs that alternate, so that sub-chunks are folded.
    {"speed8_i8", DType::i8, "speed8", shape({100}), down},
    {"speed16_bf16", DType::bf16, "speed16", shape({100}), near_one_f16},
    {"speed16_i16", DType::i16, "speed16", shape({100}), up_and_down},
    {"speed16_u16", DType::u16, "speed16", shape({100}), counter},
    {"spspeed_i32", DType::i32, "spspeed", shape({100}), up_and_down},
    {"spratio_u32", DType::u32, "spratio", shape({100}), counter},
    {"dpspeed_i64", DType::i64, "dpspeed", shape({100}), up_and_down},
    {"dpratio_u64", DType::u64, "dpratio", shape({100}), counter},
    {"gfc_i64", DType::i64, "gfc", shape({70}), up_and_down},
    {"gfc_u32", DType::u32, "gfc", shape({70}), counter},
    // Every rank, no element, one element.
    {"rank_0", DType::f64, "dpspeed", shape({}), one_f64},
    {"rank_1_one_element", DType::u8, "speed8", shape({1}), counter},
    {"rank_1_empty", DType::f32, "spspeed", shape({0}), zero},
    {"rank_2", DType::f32, "spratio", shape({6, 7}), ramp_f32},
    {"rank_2_inner_size_0", DType::i16, "speed16", shape({3, 0}), zero},
    {"rank_3", DType::f64, "dpratio", shape({2, 3, 5}), ramp_f64},
    {"rank_3_empty", DType::f64, "gfc", shape({0, 4, 5}), zero},
    {"rank_4", DType::i8, "speed8", shape({2, 3, 2, 5}), counter},
    {"rank_5", DType::u16, "speed16", shape({2, 1, 3, 2, 5}), counter},
    {"rank_6", DType::i32, "spspeed", shape({1, 2, 1, 3, 2, 5}), counter},
    {"rank_7", DType::u64, "dpspeed", shape({1, 2, 1, 3, 1, 2, 5}), counter},
    {"rank_8", DType::f32, "gfc", shape({2, 1, 2, 1, 3, 1, 2, 2}), ramp_f32, dimensionality(2)},
    // Raw chunks, full chunks, short last chunks, several segments.
    {"raw_u8", DType::u8, "speed8", shape({50}), noise},
    {"raw_f64", DType::f64, "dpratio", shape({12}), noise},
    {"spspeed_full_chunk", DType::f32, "spspeed", shape({4096}), one_f32},
    {"spratio_coded_then_raw", DType::u32, "spratio", shape({4136}), constant_then_noise},
    {"dpspeed_short_last_chunk", DType::f64, "dpspeed", shape({2051}), one_f64},
    {"spspeed_segments", DType::f32, "spspeed", shape({3, 3000}), one_f32, small_segments},
    {"spratio_segments_of_two_chunks", DType::i32, "spratio", shape({13000}), zero, two_chunk_segments},
    {"speed16_segments_that_split_rows", DType::i16, "speed16", shape({5, 3, 1111}), zero, small_segments},
    {"dpratio_segments", DType::f64, "dpratio", shape({4200}), one_f64, small_segments},
    {"dpratio_segments_of_both_kinds", DType::f64, "dpratio", shape({2108}), ones_then_fractions_f64,
     small_segments},
    {"dpratio_values_meet_distances", DType::f64, "dpratio", shape({1500}), period_f64},
    {"dpratio_258_chunks", DType::u64, "dpratio", shape({264000}), zero},
    // Parameters, options, special numbers.
    {"gfc_f64_dimensionality_3", DType::f64, "gfc", shape({40, 3}), triples_f64, dimensionality(3)},
    {"gfc_f32_dimensionality_3", DType::f32, "gfc", shape({40, 3}), triples_f32, dimensionality(3)},
    {"gfc_u64_dimensionality_7", DType::u64, "gfc", shape({105}), tuples<7>, dimensionality(7)},
    {"gfc_u32_dimensionality_32", DType::u32, "gfc", shape({160}), tuples<32>, dimensionality(32)},
    {"dpratio_nothing_for_raze", DType::u64, "dpratio", shape({60}), large_steps},
    {"dpratio_hundredths", DType::f64, "dpratio", shape({250}), hundredths_f64},
    {"edges_f64_dpspeed", DType::f64, "dpspeed", shape({180}), edges<std::uint64_t>},
    {"edges_f64_dpratio", DType::f64, "dpratio", shape({180}), edges<std::uint64_t>},
    {"edges_f32_spspeed", DType::f32, "spspeed", shape({116}), edges<std::uint32_t, 2>},
    {"edges_f32_spratio", DType::f32, "spratio", shape({464}), edges<std::uint32_t, 8>},
    {"edges_f16", DType::f16, "speed16", shape({84}), edges<std::uint16_t>},
    {"edges_bf16_no_checksums", DType::bf16, "speed16", shape({84}), edges<std::uint16_t>, no_checksums},
    {"prefix", DType::f32, "spspeed", shape({30}), ramp_f32, {}, "a header of 26 bytes, kept"},
    {"prefix_no_checksums",
     DType::f64,
     "gfc",
     shape({64}),
     ramp_f64,
     {.checksum = false, .dimensionality = 4},
     "16 bytes of text"},
    {"no_checksums_segments",
     DType::u32,
     "spspeed",
     shape({9000}),
     zero,
     {.checksum = false, .segment_bytes = one_chunk}},
    // The frame that docs/format/example.md explains.
    {"example", DType::f32, "spspeed", shape({4, 6}), next_after_one_f32},
};

}  // namespace golden

/// "3x4" for the manifest; empty for a scalar.
inline std::string shape_text(const Extent& extent) {
  std::string text;
  for (std::uint32_t d = 0; d < extent.rank; ++d) {
    if (d != 0) text += 'x';
    text += std::to_string(extent.size[d]);
  }
  return text;
}

/// The content of a case.
inline std::vector<std::byte> content_of(const GoldenCase& golden) {
  Random random(golden.name.size());
  std::vector<std::byte> content;
  for (std::uint64_t i = 0; i < *golden.extent.element_count(); ++i) {
    const std::uint64_t word = golden.word(i, random);
    for (std::size_t b = 0; b < size_of(golden.dtype); ++b)
      content.push_back(static_cast<std::byte>(word >> 8 * b));
  }
  return content;
}

}  // namespace floe::test
