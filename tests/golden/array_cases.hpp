// Which arrays are golden files? The smallest content that shows a part of the format.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/splitmix.hpp"
#include "core/word.hpp"
#include "tests/golden/golden_case.hpp"
#include "tests/support/data.hpp"

namespace floe::test::golden {

/// Word i of a content, in the lowest bits.
using WordAt = std::uint64_t (*)(std::uint64_t i, Random& random);

struct ArrayCase {
  std::string_view name;  ///< Behind "arrays/".
  DType dtype;
  std::string_view tree;  ///< Empty: a planner chooses.
  Extent extent;
  WordAt word;
  Options options = {};  ///< Without tree and prefix.
  std::string_view prefix = {};
};

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
/// Weights of a neural network: of both signs, most of a few magnitudes, some of them pruned.
inline std::uint64_t weights_f16(std::uint64_t, Random& random) {
  if (random.below(20) == 0) return 0;
  const std::uint64_t exponent = 8 + random.below(4) * random.below(3) / 2;
  return random.below(2) << 15 | exponent << 10 | random.below(1024);
}
/// A smooth ramp, then levels of a sensor in no order, some of them missing.
inline std::uint64_t ramp_then_levels(std::uint64_t i, Random& random) {
  return i % 9000 < 3000 ? i / 8 : random.below(9) == 0 ? 0 : 120 + random.below(30);
}
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
/// A walk in steps of 1, with runs.
inline std::uint64_t walk(std::uint64_t i, Random& random) {
  static std::uint64_t at = 0;
  if (i == 0) at = 100;
  if (random.below(4) == 0) at += random.below(3) - 1;
  return at;
}
/// Rows of 20 words and planes of 10 rows, which are bent.
inline std::uint64_t plane_of_rows(std::uint64_t i, Random& random) {
  const std::uint64_t plane = i / 200, row = i / 20 % 10, position = i % 20;
  return 50 * plane * row + row * row + 3 * position + random.below(2);
}
/// Arcs of parabolas around 0, of both signs.
inline std::uint64_t parabolas(std::uint64_t i, Random& random) {
  const std::uint64_t at = i % 200, arc = at * (200 - at);
  return (i / 200 % 2 == 0 ? arc : 0 - arc) + random.below(5);
}
inline std::uint64_t waves_f64(std::uint64_t i, Random& random) {
  return bits(static_cast<double>(static_cast<std::int64_t>(parabolas(i, random))) * 0x1.3p-9);
}
inline std::uint64_t waves_f32(std::uint64_t i, Random& random) {
  return bits(static_cast<float>(static_cast<std::int64_t>(parabolas(i, random))) * 0x1.35p-9f);
}
/// Readings of two converters, with gaps.
inline std::uint64_t readings_f64(std::uint64_t i, Random& random) {
  const auto reading = static_cast<double>(static_cast<std::int64_t>(parabolas(i / 2, random) / 16 % 4096));
  if (random.below(100) == 0) return 0x7FF8000000000000;
  return bits(i % 2 == 0 ? reading * 0.00125 : (reading - 1234.5678) / 3);
}
/// Degrees with nine digits, that were calculated with.
inline std::uint64_t near_decimals_f64(std::uint64_t i, Random& random) {
  const auto billionths = static_cast<double>(48'000'000'000 + 9000 * i + random.below(5000));
  return random.below(100) == 0 ? bits(1.0 / static_cast<double>(i + 3)) : bits(billionths / 1e9 + 100 - 100);
}
/// Floats, also as others print them and read them again: with six digits after the point, with twelve
/// significant ones.
inline float walk_f32(std::uint64_t i, Random& random) {
  const std::uint64_t tenths = 97 * walk(i, random);
  return static_cast<float>(tenths) / 10.0f + static_cast<float>(random.below(7)) / 7.0f;
}
inline std::uint64_t floats_f64(std::uint64_t i, Random& random) {
  const double value = walk_f32(i, random);
  return bits(i % 90 == 80 ? value / 3 : value);
}
inline std::uint64_t millionths_f64(std::uint64_t i, Random& random) {
  const double value = std::nearbyint(static_cast<double>(walk_f32(i, random)) * 1e6) / 1e6;
  return bits(i % 100 == 7 ? -0.0 : i % 90 == 80 ? value / 3 : value);
}
inline std::uint64_t twelve_digits_f64(std::uint64_t i, Random& random) {
  const double value = walk_f32(i, random);
  const double power = value < 1000 ? 1e9 : 1e8;
  return bits(std::nearbyint(value * power) / power * (i % 50 == 49 ? 1.0 / 3 : 1));
}
/// Degrees in radians.
inline std::uint64_t angles_f32(std::uint64_t i, Random& random) {
  return bits(static_cast<float>(static_cast<double>(i % 360 + random.below(3)) * 0.017453292519943295));
}
/// Counts less a mean, of three traces; the second one is noise.
inline std::uint64_t traces_f32(std::uint64_t i, Random& random) {
  const auto count = static_cast<float>(static_cast<std::int64_t>(parabolas(i, random) / 16 % 4096));
  const auto noise = static_cast<float>(random.next() >> 40) * 0x1p-24f;
  return bits(i / 500 == 0 ? count - 17.3125f : i / 500 == 1 ? noise * noise : (count + 5.1f) / 7.3f);
}
/// Noise that comes and goes.
inline std::uint64_t bursts(std::uint64_t i, Random& random) {
  return random.below(i / 700 % 4 == 0 ? 1000 : i / 700 % 4 == 2 ? 100 : 8);
}
inline std::uint64_t flags_in_bursts(std::uint64_t i, Random& random) {
  return random.below(i / 700 % 2 == 0 ? 2 : 60) == 0 ? 1 : 0;
}
inline std::uint64_t bursts_f64(std::uint64_t i, Random& random) {
  return bits(1000 + static_cast<double>(bursts(i, random)) / 64);
}
/// 0, 1, 3, 6, 10 ... again and again: differences repeat.
/// 65534 words in a row; the first ones grow.
inline std::uint64_t long_rows(std::uint64_t i, Random&) {
  return i < 2000 ? i * i * i * i : i / 65534 * 7 + i % 65534 / 8000;
}
inline std::uint64_t growing_steps(std::uint64_t i, Random&) { return i % 12 * (i % 12 + 1) / 2 + i / 12; }
/// Some blocks of 24 words in random order, with single other words between them: words stood before at many
/// distances.
inline std::uint64_t blocks(std::uint64_t i, Random& random) {
  if (random.below(40) == 0) return random.next();
  return core::splitmix(core::splitmix(i / 24) % 8 * 24 + i % 24);
}
/// The same with exponents of floats near 1.
inline std::uint64_t blocks_f64(std::uint64_t i, Random& random) {
  return bits(1.0) + (blocks(i, random) >> 20);
}
/// Ticks of 60 seconds since 2016, some of them late.
inline std::uint64_t ticks(std::uint64_t i, Random& random) {
  return 1454284800 + 60 * i + (random.below(50) == 0 ? 1 : 0);
}
/// Steps of a quarter that last an hour.
inline std::uint64_t hours_f64(std::uint64_t i, Random&) {
  return bits(0.25 * static_cast<double>(i / 3600 * 7 % 11));
}
inline std::uint64_t quarters_f64(std::uint64_t i, Random&) {
  return bits(0.25 * static_cast<double>(i * i % 101));
}
/// A counter, then few values, then a counter: parts of two kinds.
inline std::uint64_t two_kinds(std::uint64_t i, Random&) {
  return i / 40000 % 2 == 1 ? i * i % 7 : i % 40000 + 1000;
}
inline std::uint64_t flags(std::uint64_t i, Random& random) { return i % 100 < 60 || random.below(40) == 0; }

/// A tree of 65 nodes.
inline const std::string many_columns = [] {
  std::string tree = "stride_split(64)";
  for (int i = 0; i < 32; ++i) tree += ",bitpack,raw";
  return tree;
}();

constexpr Extent shape(std::initializer_list<std::uint64_t> sizes) {
  Extent extent;
  extent.rank = static_cast<std::uint32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), extent.size.begin());
  return extent;
}

constexpr std::uint64_t one_chunk = 16384;
inline const Options small_segments = {.segment_bytes = one_chunk};
inline const Options two_chunk_segments = {.segment_bytes = 2 * one_chunk};
inline const Options no_checksums = {.checksum = false};

/// New rows go to the end. Rows are never changed or taken out: their files stay.
inline std::vector<ArrayCase> all_arrays() {
  using enum DType;
  return {
      // Every codec on what it is made for; a chunk of less than its full size.
      {"codecs/spspeed_f32", f32, "spspeed", shape({100}), ramp_f32},
      {"codecs/spratio_f32", f32, "spratio", shape({100}), ramp_f32},
      {"codecs/dpspeed_f64", f64, "dpspeed", shape({100}), ramp_f64},
      {"codecs/dpratio_f64_no_history", f64, "dpratio", shape({60}), fractions_f64},
      {"codecs/dpratio_f64_history", f64, "dpratio", shape({180}), period_f64},
      {"codecs/gfc_f64", f64, "gfc", shape({75}), ramp_f64},
      {"codecs/gfc_f32", f32, "gfc", shape({75}), ramp_f32},
      {"codecs/speed8_u8", u8, "speed8", shape({100}), counter},
      {"codecs/speed16_f16", f16, "speed16", shape({100}), near_one_f16},
      // Every other element type; signs that alternate, so that sub-chunks are folded.
      {"codecs/speed8_i8", i8, "speed8", shape({100}), down},
      {"codecs/speed8_bool", boolean, "speed8", shape({100}), flags},
      {"codecs/speed16_bf16", bf16, "speed16", shape({100}), near_one_f16},
      {"codecs/speed16_i16", i16, "speed16", shape({100}), up_and_down},
      {"codecs/speed16_u16", u16, "speed16", shape({100}), counter},
      {"codecs/spspeed_i32", i32, "spspeed", shape({100}), up_and_down},
      {"codecs/spratio_u32", u32, "spratio", shape({100}), counter},
      {"codecs/dpspeed_i64", i64, "dpspeed", shape({100}), up_and_down},
      {"codecs/dpratio_u64", u64, "dpratio", shape({100}), counter},
      {"codecs/gfc_i64", i64, "gfc", shape({70}), up_and_down},
      {"codecs/gfc_u32", u32, "gfc", shape({70}), counter},
      {"codecs/gfc_f64_3", f64, "gfc(3)", shape({40, 3}), triples_f64},
      {"codecs/gfc_f32_3", f32, "gfc(3)", shape({40, 3}), triples_f32},
      {"codecs/gfc_u64_7", u64, "gfc(7)", shape({105}), tuples<7>},
      {"codecs/gfc_u32_32", u32, "gfc(32)", shape({160}), tuples<32>},
      {"codecs/dpratio_nothing_for_raze", u64, "dpratio", shape({60}), large_steps},
      {"codecs/dpratio_hundredths", f64, "dpratio", shape({250}), hundredths_f64},
      // Every rank, no element, one element.
      {"shapes/rank_0", f64, "dpspeed", shape({}), one_f64},
      {"shapes/rank_1_one_element", u8, "speed8", shape({1}), counter},
      {"shapes/rank_1_empty", f32, "spspeed", shape({0}), zero},
      {"shapes/rank_2", f32, "spratio", shape({6, 7}), ramp_f32},
      {"shapes/rank_2_inner_size_0", i16, "speed16", shape({3, 0}), zero},
      {"shapes/rank_3", f64, "dpratio", shape({2, 3, 5}), ramp_f64},
      {"shapes/rank_3_empty", f64, "gfc", shape({0, 4, 5}), zero},
      {"shapes/rank_4", i8, "delta,bitpack", shape({2, 3, 2, 5}), counter},
      {"shapes/rank_5", u16, "speed16", shape({2, 1, 3, 2, 5}), counter},
      {"shapes/rank_6", i32, "spspeed", shape({1, 2, 1, 3, 2, 5}), counter},
      {"shapes/rank_7", u64, "bitpack", shape({1, 2, 1, 3, 1, 2, 5}), counter},
      {"shapes/rank_8", f32, "gfc(2)", shape({2, 1, 2, 1, 3, 1, 2, 2}), ramp_f32},
      // Raw chunks, full chunks, short last chunks, several segments.
      {"segments/raw_u8", u8, "speed8", shape({50}), noise},
      {"segments/raw_f64", f64, "dpratio", shape({12}), noise},
      {"segments/full_chunk", f32, "spspeed", shape({4096}), one_f32},
      {"segments/coded_then_raw", u32, "spratio", shape({4136}), constant_then_noise},
      {"segments/short_last_chunk", f64, "dpspeed", shape({2051}), one_f64},
      {"segments/three", f32, "spspeed", shape({3, 3000}), one_f32, small_segments},
      {"segments/of_two_chunks", i32, "spratio", shape({13000}), zero, two_chunk_segments},
      {"segments/that_split_rows", i16, "speed16", shape({5, 3, 1111}), zero, small_segments},
      {"segments/dpratio", f64, "dpratio", shape({4200}), one_f64, small_segments},
      {"segments/dpratio_of_both_kinds", f64, "dpratio", shape({2108}), ones_then_fractions_f64,
       small_segments},
      {"segments/values_meet_distances", f64, "dpratio", shape({1500}), period_f64},
      {"segments/258_chunks", u64, "dpratio", shape({264000}), zero},
      {"segments/of_trees", u32, "delta,bitpack", shape({9000}), walk, small_segments},
      {"segments/no_checksums", u32, "spspeed", shape({9000}), zero,
       Options{.checksum = false, .segment_bytes = one_chunk}},
      // Options and special words.
      {"special/edges_f64_dpspeed", f64, "dpspeed", shape({180}), edges<std::uint64_t>},
      {"special/edges_f64_dpratio", f64, "dpratio", shape({180}), edges<std::uint64_t>},
      {"special/edges_f32_spspeed", f32, "spspeed", shape({116}), edges<std::uint32_t, 2>},
      {"special/edges_f32_spratio", f32, "spratio", shape({464}), edges<std::uint32_t, 8>},
      {"special/edges_f16", f16, "speed16", shape({84}), edges<std::uint16_t>},
      {"special/edges_bf16_no_checksums", bf16, "speed16", shape({84}), edges<std::uint16_t>, no_checksums},
      {"special/prefix", f32, "spspeed", shape({30}), ramp_f32, {}, "a header of 26 bytes, kept"},
      {"special/prefix_no_checksums", f64, "gfc(4)", shape({64}), ramp_f64, no_checksums, "16 bytes of text"},
      {"special/tree_no_checksums", i16, "delta,bitpack", shape({100}), walk, no_checksums},
      // Trees: nested leaves, of both kinds and with group offsets.
      {"trees/nested/speed", i32, "delta,spspeed", shape({3000}), walk},
      {"trees/nested/two_codecs", f64, "stride_split,gfc(3),dpspeed", shape({120}), triples_f64},
      {"trees/nested/history", f64, "stride_split,raw,dpratio", shape({720}), period_f64},
      {"trees/nested/below_two", u8, "rle,bitpack,speed8", shape({4000}), walk},
      {"trees/nested/258_chunks", u64, "delta,dpratio", shape({264000}), growing_steps,
       Options{.segment_bytes = std::uint64_t{4} << 20}},
      // Entropy: few lanes, all lanes, two sections; all modes, lengths of frequencies and sizes of blocks.
      {"trees/far_delta", i16, "delta(1,200),delta(2,70),delta,bitpack", shape({6, 10, 20}), plane_of_rows},
      {"trees/64_columns", u32, many_columns, shape({5, 64}), counter},
      {"trees/transposed/u8", u8, "stride_split(67),raw", shape({7}), counter},
      {"trees/transposed/rows_i16", i16, "stride_split(84),delta(1,50),delta,bitpack", shape({50, 20}),
       plane_of_rows},
      {"trees/transposed/last_row_f64", f64, "stride_split(69),sortable,delta,entropy", shape({1203}),
       waves_f64},
      {"trees/transposed/blocks_u64", u64, "stride_split(65598),delta(1,16),rle,bitpack,bitpack",
       shape({1060000}), long_rows, Options{.segment_bytes = std::uint64_t{16} << 20}},
      {"trees/transposed/nested_f16", f16, "stride_split(66),stride_split(67),entropy", shape({600}),
       near_one_f16},
      {"trees/grid/f64", f64, "grid,delta(2),bitpack,raw,bitpack,raw", shape({300}), waves_f64},
      {"trees/grid/f32", f32, "grid,linear(4),entropy,bitpack,bitpack,raw", shape({1500}), waves_f32},
      {"trees/grid/f16", f16, "grid,delta,bitpack,raw,bitpack,raw", shape({600}), near_one_f16},
      {"trees/narrow/all", f64, "narrow,sortable,delta,entropy,bitpack,raw", shape({900}), floats_f64},
      {"trees/narrow/after_point", f64, "narrow(6,1),sortable,bitpack,bitpack,raw", shape({1500}),
       millionths_f64},
      {"trees/narrow/significant", f64, "narrow(12,2),entropy,bitpack,raw", shape({1200}), twelve_digits_f64},
      {"trees/affine/f64", f64, "affine(2),delta(1,2),entropy,bitpack,raw,bitpack,raw", shape({600, 2}),
       readings_f64},
      {"trees/affine/near_decimals_f64", f64, "affine(1,8),delta,entropy,bitpack,raw,bitpack,raw",
       shape({900}), near_decimals_f64},
      {"trees/affine/angles_f32", f32, "affine,bitpack,constant,raw,bitpack,raw", shape({1000}), angles_f32},
      {"trees/affine/traces_f32", f32, "affine,delta,entropy,entropy,sortable,bitpack,bitpack,raw",
       shape({1500}), traces_f32},
      {"trees/linear/i32", i32, "linear,entropy", shape({3000}), parabolas},
      {"trees/linear/i64", i64, "linear(8),bitpack", shape({1100}), parabolas},
      {"trees/linear/u8", u8, "linear(3),entropy", shape({5000}), walk},
      {"trees/grid/bf16", bf16, "grid,entropy,raw,bitpack,raw", shape({3000}), near_one_f16},
      {"trees/linear/bool", DType::boolean, "linear(3),entropy", shape({3000}), flags},
      {"trees/linear/i8", i8, "linear(2),entropy", shape({2000}), walk},
      {"trees/linear/i16", i16, "linear(1),bitpack", shape({2000}), parabolas},
      {"trees/linear/u16", u16, "linear(32),entropy", shape({2000}), walk},
      {"trees/linear/u32", u32, "linear(5),bitpack", shape({2000}), parabolas},
      {"trees/linear/row_i16", i16, "linear(4,20),entropy", shape({60, 20}), plane_of_rows},
      {"trees/linear/ends_u8", u8, "linear(4,40),entropy", shape({61, 40}), plane_of_rows},
      {"trees/linear/ends_u16", u16, "linear(12,160),entropy", shape({4, 10, 160}), plane_of_rows},
      {"trees/linear/plane_u64", u64, "linear(32,10),bitpack", shape({40, 12, 10}), parabolas},
      {"trees/linear/u64", u64, "linear(2),entropy", shape({2000}), parabolas},
      {"trees/context/u8", u8, "context(40),entropy", shape({50, 40}), walk},
      {"trees/context/i8", i8, "context(25,3),entropy", shape({60, 25}), walk},
      {"trees/context/u16", u16, "context(20),multi_entropy", shape({60, 20}), plane_of_rows},
      {"trees/context/i16", i16, "delta(1,20),delta,context(20,1),entropy", shape({60, 20}), plane_of_rows},
      {"trees/context/u32", u32, "context(2),bitpack", shape({2000}), parabolas},
      {"trees/context/i32", i32, "delta,context(64,63),entropy", shape({30, 64}), parabolas},
      {"trees/context/u64", u64, "context(100,2),bitpack", shape({12, 100}), parabolas},
      {"trees/context/i64", i64, "delta(2),context(30),entropy", shape({40, 30}), parabolas},
      {"trees/context/bool", DType::boolean, "context(50),entropy", shape({40, 50}), flags},
      {"trees/match/u8", u8, "match,entropy,entropy,entropy,entropy", shape({5000}), blocks},
      {"trees/match/i8", i8, "match(0),bitpack,rle,bitpack,bitpack,bitpack,entropy", shape({2000}), blocks},
      {"trees/match/bool", DType::boolean, "match(1,1),bitpack,bitpack,bitpack,bitpack", shape({2000}),
       flags},
      {"trees/match/u16", u16, "match,raw,bitpack,bitpack,bitpack", shape({2000}), blocks},
      {"trees/match/i16", i16, "match(0,8),entropy,entropy,entropy,entropy", shape({2000}), blocks},
      {"trees/match/f16", f16, "match,raw,bitpack,entropy,raw", shape({600}), blocks},
      {"trees/match/bf16", bf16, "match(1,9),entropy,bitpack,bitpack,bitpack", shape({600}), near_one_f16},
      {"trees/match/i32", i32, "match(1,20),entropy,entropy,entropy,entropy", shape({3000}), blocks},
      {"trees/match/u32", u32, "match,delta,bitpack,bitpack,bitpack,bitpack", shape({2000}), blocks},
      {"trees/match/f32", f32, "match,sortable,bitpack,bitpack,bitpack,bitpack", shape({1000}), waves_f32},
      {"trees/match/i64", i64, "match(0),raw,entropy,entropy,entropy", shape({2000}), blocks},
      {"trees/match/u64", u64, "match(1,40),raw,bitpack,bitpack,bitpack", shape({2000}), blocks},
      {"trees/match/f64", f64, "match,sortable,delta,bitpack,bitpack,bitpack,bitpack", shape({1500}),
       blocks_f64},
      {"trees/entropy/1_lane", u16, "entropy", shape({200}), walk},
      {"trees/entropy/2_lanes", i64, "entropy", shape({700}), walk},
      {"trees/entropy/4_lanes", u8, "entropy", shape({3000}), flags},
      {"trees/entropy/2_sections", u8, "entropy", shape({66000}), flags},
      {"trees/entropy/differences", i16, "delta,entropy", shape({20000}), walk},
      {"trees/entropy/f64", f64, "entropy", shape({4500}), quarters_f64},
      {"trees/entropy/f32", f32, "entropy", shape({5000}), ramp_f32},
      {"trees/entropy/f16", f16, "entropy", shape({300}), near_one_f16},
      {"trees/entropy/bf16", bf16, "entropy", shape({9000}), near_one_f16},
      {"trees/multi_entropy/u16", u16, "multi_entropy(3)", shape({70000}), bursts},
      {"trees/multi_entropy/f64", f64, "sortable,delta,multi_entropy", shape({9000}), bursts_f64},
      {"trees/multi_entropy/u8", u8, "multi_entropy(1)", shape({5000}), bursts},
      {"trees/multi_entropy/i32", i32, "multi_entropy(2)", shape({6001}), bursts},
      {"trees/multi_entropy/bool", DType::boolean, "multi_entropy", shape({9000}), flags_in_bursts},
      {"trees/multi_entropy/i8", i8, "multi_entropy(1)", shape({4200}), bursts},
      {"trees/multi_entropy/i16", i16, "multi_entropy(1)", shape({4200}), bursts},
      {"trees/multi_entropy/u32", u32, "multi_entropy(1)", shape({4200}), bursts},
      {"trees/multi_entropy/u64", u64, "multi_entropy(1)", shape({4200}), bursts},
      {"trees/multi_entropy/f16", f16, "multi_entropy(1)", shape({4200}), bursts},
      {"trees/multi_entropy/bf16", bf16, "multi_entropy(1)", shape({4200}), bursts},
      {"trees/multi_entropy/f32", f32, "multi_entropy(1)", shape({4200}), bursts},
      {"trees/multi_entropy/root_f64", f64, "multi_entropy(1)", shape({4200}), bursts},
      {"trees/deepest", i32, "delta,int_mult,delta,int_mult,delta,int_mult,delta,bitpack", shape({500}),
       walk},
      // What planners choose.
      {"planned/ticks_i64", i64, "", shape({600}), ticks},
      {"planned/quarters_f64", f64, "", shape({600}), quarters_f64, Options{.goal = Goal::speed}},
      {"planned/quarters_f64_ratio", f64, "", shape({600}), quarters_f64, Options{.goal = Goal::ratio}},
      {"planned/f16", f16, "", shape({600}), near_one_f16},
      {"planned/bf16", bf16, "", shape({600}), near_one_f16},
      {"planned/bool", boolean, "", shape({600}), flags},
      {"planned/constant", f32, "", shape({600}), one_f32},
      {"planned/noise", u32, "", shape({200}), noise},
      {"planned/empty", i8, "", shape({0}), zero},
      {"planned/parts", u16, "", shape({120000}), two_kinds},
      {"planned/gpu_f64", f64, "", shape({70000}), hours_f64, Options{.profile = Profile::gpu}},
      {"planned/gpu_u32", u32, "", shape({5000}), walk, Options{.profile = Profile::gpu}},
      // The frames that docs/format/example.md explains.
      {"example/leaf", f32, "spspeed", shape({4, 6}), next_after_one_f32},
      {"example/tree", i32, "delta,bitpack", shape({8}), growing_steps},
      // Narrow words as offsets, in full chunks and in short ones.
      {"codecs/speed16_offsets_f16", f16, "speed16", shape({9001}), weights_f16},
      {"codecs/speed8_offsets_u8", u8, "speed8", shape({19001}), ramp_then_levels},
  };
}

inline std::vector<GoldenCase> array_cases() {
  std::vector<GoldenCase> cases;
  for (const ArrayCase& array : all_arrays()) {
    GoldenCase& golden = cases.emplace_back();
    golden.name = "arrays/" + std::string(array.name);
    golden.is_rewritten = !array.tree.empty();
    golden.content = [array] {
      Random random(array.name.size());
      std::vector<std::byte> content;
      for (std::uint64_t i = 0; i < *array.extent.element_count(); ++i) {
        const std::uint64_t word = array.word(i, random);
        for (std::size_t b = 0; b < size_of(array.dtype); ++b)
          content.push_back(static_cast<std::byte>(word >> 8 * b));
      }
      return content;
    };
    golden.compress = [array](std::span<const std::byte> content) {
      Options options = array.options;
      options.tree = array.tree;
      options.prefix = std::as_bytes(std::span(array.prefix));
      return floe::compress(content, array.dtype, array.extent, options).value();
    };
  }
  return cases;
}

}  // namespace floe::test::golden
