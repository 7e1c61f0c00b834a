// Are matches found at any distance, do they come back in pieces, and does a decoder keep no more than the
// farthest distance?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "core/splitmix.hpp"
#include "encodings/encoding.hpp"
#include "encodings/match/found_matches.hpp"
#include "encodings/match/match_finder.hpp"
#include "encodings/match/sequences.hpp"
#include "tree/tree_decoder.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

/// Blocks of `block` random words of which there are `kinds`, in random order, the same order for all types.
template <core::Word W>
std::vector<W> blocks(std::size_t count, std::size_t block, std::uint64_t kinds) {
  std::vector<W> words(count);
  for (std::size_t i = 0; i < count; ++i)
    words[i] = static_cast<W>(core::splitmix(core::splitmix(i / block) % kinds * block + i % block));
  return words;
}

template <core::Word W>
std::vector<W> restored(std::span<const W> words, std::span<const Sequence> sequences) {
  std::vector<W> out;
  RecentDistances recent;
  for (const Sequence& sequence : sequences) {
    const std::size_t from = out.size();
    out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(from),
               words.begin() + static_cast<std::ptrdiff_t>(from + sequence.literals));
    const std::uint32_t distance = recent.take(sequence.distance_code);
    EXPECT_GE(out.size(), distance);
    for (std::uint32_t i = 0; i < sequence.length; ++i) out.push_back(out[out.size() - distance]);
  }
  out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(out.size()), words.end());
  return out;
}

template <core::Word W>
void expect_matches(std::uint32_t effort) {
  Scratch scratch;
  const std::vector<W> words = blocks<W>(20000, 100, 12);
  const auto sequences = parse_lazily<W>(words, {effort, core::word_bits<W> * match_cost_of_bit}, scratch);
  EXPECT_EQ(restored<W>(words, sequences), words);
  std::size_t matched = 0;
  for (const Sequence& sequence : sequences) matched += sequence.length;
  EXPECT_EQ(matched, words.size() - 12 * 100) << "of each kind the first block is new";
  EXPECT_LE(sequences.size(), words.size() / 100);
}

TEST(MatchEncoding, FindsBlocksThatStoodBefore) {
  for (const std::uint32_t effort : {0U, 1U, 2U}) {
    expect_matches<std::uint8_t>(effort);
    expect_matches<std::uint16_t>(effort);
    expect_matches<std::uint32_t>(effort);
    expect_matches<std::uint64_t>(effort);
  }
}

template <core::Word W>
void expect_the_same_with_found_matches(const std::vector<W>& words, FoundMatches<W>& found) {
  Scratch scratch;
  const auto fields = [](const std::vector<Sequence>& sequences) {
    std::vector<std::array<std::uint32_t, 3>> all;
    for (const Sequence& sequence : sequences)
      all.push_back({sequence.literals, sequence.length, sequence.distance_code});
    return all;
  };
  for (const std::uint32_t cost : {1, 3, 9, 16}) {
    for (const std::uint32_t effort : {1, 2}) {
      const ParseOptions options{effort, cost * match_cost_of_bit};
      EXPECT_EQ(fields(parse_lazily<W>(words, options, found)),
                fields(parse_lazily<W>(words, options, scratch)));
    }
  }
}

template <core::Word W>
void expect_matches_to_be_found_once() {
  Scratch scratch;
  std::vector<W> words = blocks<W>(30000, 300, 9);  // with matches that are taken at once
  for (std::size_t i = 0; i < words.size(); i += 1 + core::splitmix(i) % 50)
    words[i] = static_cast<W>(core::splitmix(i) % 5);
  FoundMatches<W> found(words, scratch);
  expect_the_same_with_found_matches(words, found);
}

TEST(MatchEncoding, MatchesAreFoundOnceForSeveralParses) {
  expect_matches_to_be_found_once<std::uint16_t>();
  expect_matches_to_be_found_once<std::uint32_t>();
  expect_matches_to_be_found_once<std::uint64_t>();
}

template <core::Word W>
void expect_some_matches_to_be_found_again() {
  // Of two kinds, so that farther matches are longer; the first parse takes few of them, and looks at the
  // others.
  Scratch scratch;
  std::vector<W> words(30000);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<W>(core::splitmix(i) % 2);
  FoundMatches<W> found(words, scratch);
  expect_the_same_with_found_matches(words, found);
  EXPECT_LE(found.kept(), FoundMatches<W>::max_kept(words.size()));
  EXPECT_GT(found.kept(), FoundMatches<W>::max_kept(words.size()) - 32) << "the limit is not reached";
}

TEST(MatchEncoding, KeepsNoMoreMatchesThanItHasRoomFor) {
  expect_some_matches_to_be_found_again<std::uint16_t>();
  expect_some_matches_to_be_found_again<std::uint32_t>();
  expect_some_matches_to_be_found_again<std::uint64_t>();
}

TEST(MatchEncoding, FindsTheSameInManyBytes) {
  // So many that positions are sorted where few repeat.
  Scratch scratch;
  std::vector<std::uint8_t> bytes(std::size_t{1} << 20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(core::splitmix(i) % 40);
  std::copy_n(bytes.begin(), 3000, bytes.end() - 5000);
  const auto sequences = parse_lazily<std::uint8_t>(bytes, {0, 5 * match_cost_of_bit}, scratch);
  EXPECT_EQ(restored<std::uint8_t>(bytes, sequences), bytes);
  EXPECT_TRUE(std::any_of(sequences.begin(), sequences.end(),
                          [](const Sequence& sequence) { return sequence.length >= 3000; }));
}

TEST(MatchEncoding, FillsGapsBeforeLongerMatches) {
  // The corners of triangles, each of them some neighbour's, too.
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    for (const std::uint64_t corner : {i, i + core::splitmix(i) % 3, i + 1})
      words.push_back(core::splitmix(corner));
  }
  const auto literals = [&](std::uint32_t effort) {
    Scratch scratch;
    const auto sequences = parse_lazily<std::uint64_t>(
        words, {effort, core::word_bits<std::uint64_t> * match_cost_of_bit}, scratch);
    EXPECT_EQ(restored<std::uint64_t>(words, sequences), words);
    std::size_t matched = 0;
    for (const Sequence& sequence : sequences) matched += sequence.length;
    return words.size() - matched;
  };
  EXPECT_GT(literals(1), 4000U);
  EXPECT_EQ(literals(2), std::set(words.begin(), words.end()).size()) << "each corner once";
}

/// Sentences of `words` words, of which each has two that may come next.
std::vector<std::uint8_t> sentences(std::size_t words) {
  std::vector<std::uint8_t> text;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < words; ++i) {
    word = core::splitmix(word % 200 * 2 + core::splitmix(i) % 3 / 2);
    for (std::uint64_t k = 0; k < 2 + word % 7; ++k)
      text.push_back(static_cast<std::uint8_t>('a' + core::splitmix(word % 200 + 1000 * k) % 20));
    text.push_back(i % 11 == 10 ? '\n' : ' ');
  }
  return text;
}

std::size_t stored_bytes(const std::vector<std::uint8_t>& text, std::uint32_t effort) {
  Scratch scratch;
  const PlanNode packed{EncodingId::entropy, {}};
  const Plan plan{{{EncodingId::match, {effort, 0}}, packed, packed, packed, packed}};
  return encode_tree({DType::u8, text.data(), text.size()}, plan, scratch).body.size();
}

TEST(MatchEncoding, EffortMakesTextShorter) {
  const std::vector<std::uint8_t> text = sentences(30000);
  const std::size_t fast = stored_bytes(text, 0), thorough = stored_bytes(text, 1);
  EXPECT_LT(thorough, fast - fast / 20);
  EXPECT_LE(stored_bytes(text, 2), thorough);
}

TEST(MatchEncoding, OptimalParsesComeBack) {
  Scratch scratch;
  std::vector<std::vector<std::uint8_t>> contents = {sentences(5000), blocks<std::uint8_t>(50000, 700, 9),
                                                     blocks<std::uint8_t>(4097, 4097, 1),
                                                     std::vector<std::uint8_t>(10000, 'x')};
  for (std::size_t count = 0; count < 40; ++count) {  // few bytes, which end in matches of all kinds
    std::vector<std::uint8_t>& bytes = contents.emplace_back(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(core::splitmix(i) % 2);
  }
  for (const std::vector<std::uint8_t>& bytes : contents) {
    for (const std::uint32_t effort : {1U, 2U}) {
      const auto sequences = parse_optimally(
          bytes, parse_lazily<std::uint8_t>(bytes, {0, 6 * match_cost_of_bit}, scratch), effort, scratch);
      EXPECT_EQ(restored<std::uint8_t>(bytes, sequences), bytes);
    }
  }
}

TEST(MatchEncoding, TakesNoMatchThatCostsMoreThanItSaves) {
  Scratch scratch;
  const std::vector<std::uint32_t> words = blocks<std::uint32_t>(20000, 2, 5000);
  EXPECT_TRUE(parse_lazily<std::uint32_t>(words, {1, 2 * match_cost_of_bit}, scratch).empty());
  EXPECT_FALSE(parse_lazily<std::uint32_t>(words, {1, 32 * match_cost_of_bit}, scratch).empty());
}

TEST(MatchEncoding, RemembersThreeDistances) {
  RecentDistances recent;
  EXPECT_EQ(recent.code_of(2), 1U);
  EXPECT_EQ(recent.code_of(9), 11U);
  EXPECT_EQ(recent.take(11), 9U);
  EXPECT_EQ(recent.take(2), 2U);  // 9 1 2 before
  EXPECT_EQ(recent.take(1), 9U);
  EXPECT_EQ(recent.take(0), 9U);
  EXPECT_EQ(recent.code_of(1), 2U);
}

/// Bytes with runs of every distance from 1 to 40, which copies of 16 bytes must not get wrong.
std::vector<std::uint8_t> periods() {
  std::vector<std::uint8_t> bytes;
  for (std::size_t period = 1; period <= 40; ++period) {
    for (std::size_t i = 0; i < 6 * period + period % 7; ++i)
      bytes.push_back(static_cast<std::uint8_t>(core::splitmix(i % period + 64 * period)));
  }
  return bytes;
}

void expect_round_trip(const ColumnView& in, const std::vector<std::size_t>& pieces) {
  Scratch scratch;
  const PlanNode raw{EncodingId::raw, {}};
  const Plan plan{{{EncodingId::match, {1, 0}}, raw, raw, raw, raw}};
  const EncodedTree tree = encode_tree(in, plan, scratch);
  ASSERT_EQ(tree.plan.nodes[0].encoding, EncodingId::match);
  const auto* const all = static_cast<const std::uint8_t*>(in.values);
  const std::size_t word_bytes = size_of(in.type);
  for (const std::size_t piece : pieces) {
    ByteReader body(tree.body.bytes());
    const auto source = open_tree(tree.plan, body, in.type, in.count, Wanted::parts);
    ASSERT_NE(source, nullptr);
    std::vector<std::uint8_t> out(piece * word_bytes);
    bool is_skipped = false;  // every second piece
    for (std::uint64_t at = 0; at < in.count; is_skipped = !is_skipped) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(piece, in.count - at));
      if (is_skipped) {
        ASSERT_TRUE(source->skip(part));
      } else {
        ASSERT_TRUE(source->read(out.data(), part));
        ASSERT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(part * word_bytes),
                               all + at * word_bytes));
      }
      at += part;
    }
  }
}

TEST(MatchEncoding, ComesBackInPieces) {
  const std::vector<std::uint8_t> bytes = periods();
  expect_round_trip({DType::u8, bytes.data(), bytes.size()}, {1, 7, 100, 5000});
  // The window of a decoder moves on several times.
  const auto words = blocks<std::uint32_t>(300000, 50, 100);
  expect_round_trip({DType::f32, words.data(), words.size()}, {1000, 4096, 300000});
  const auto wide = blocks<std::uint64_t>(100000, 3000, 9);
  expect_round_trip({DType::f64, wide.data(), wide.size()}, {4096, 77777});
  const std::vector<std::uint16_t> equal(200000, 7);  // one match
  std::vector<std::uint16_t> nearly_equal = equal;
  nearly_equal.back() = 8;
  expect_round_trip({DType::u16, nearly_equal.data(), nearly_equal.size()}, {4096, 200000});
}

}  // namespace
}  // namespace floe::trees
