// Tests of matches on emulated warps: they are those of the reference, and are followed back.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "gpu/history/match_links.hpp"
#include "gpu/history/match_words.hpp"
#include "tests/oracle/match_history.hpp"
#include "tests/support/emulated_warp.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

using gpu::chunk_words;
using gpu::PositionBits;
using gpu::SortRecord;
using gpu::SpanMover;
using Words = std::vector<std::uint64_t>;

/// Words that repeat in many ways.
Words some_words(std::size_t kind, std::size_t count) {
  Random random(kind * 1000 + count);
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (kind) {
      case 0:
        words[i] = 7;
        break;
      case 1:
        words[i] = random.next();
        break;
      case 2:
        words[i] = random.below(3);
        break;
      case 3:
        words[i] = i < 40 ? random.next() : words[i - 1 - random.below(40)];
        break;
      case 4:
        words[i] = (i % 57) << 40 | i % 19;
        break;
      default:
        words[i] = i < 3000 ? random.next() : words[i - 3000];
    }
  }
  return words;
}
constexpr std::size_t kinds = 6;

std::uint32_t tiles_of(std::size_t count) {
  return static_cast<std::uint32_t>((count + chunk_words - 1) / chunk_words);
}
std::uint32_t records_of(std::size_t count, std::uint32_t tile) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(chunk_words, count - tile * std::size_t{chunk_words}));
}

/// Moves the records of a span by the steps of move_spans. `sums(n)` are the digits up to and including span
/// n.
template <class Sums>
void move_span(const std::vector<SortRecord>& from, std::vector<SortRecord>& to, std::uint32_t span,
               unsigned pass, const Sums& sums) {
  const std::uint32_t first = span * gpu::span_words,
                      spans = static_cast<std::uint32_t>((from.size() - 1) / gpu::span_words + 1);
  const auto records =
      static_cast<std::uint32_t>(std::min<std::size_t>(from.size() - first, gpu::span_words));
  static std::vector<SpanMover::Lane> lanes(gpu::span_warps * gpu::warp_lanes);
  static std::vector<std::uint64_t> memory(SpanMover::bytes / 8 + 1);
  const auto each_warp = [&](const auto& step) {
    for (unsigned w = 0; w < gpu::span_warps; ++w) {
      const SpanMover mover{reinterpret_cast<std::uint8_t*>(memory.data()), w, pass};
      EmulatedWarp::run(
          [&](EmulatedWarp& warp) { step(mover, warp, lanes[w * gpu::warp_lanes + warp.lane()]); });
    }
  };
  each_warp([&](const SpanMover& mover, EmulatedWarp& warp, SpanMover::Lane& lane) {
    mover.rank(warp, lane, records, [&](std::uint32_t i) { return from.at(first + i); });
  });
  each_warp([&](const SpanMover& mover, EmulatedWarp& warp, SpanMover::Lane& lane) {
    mover.add_up(warp, lane, span == 0 ? nullptr : sums(span - 1), sums(spans - 1));
  });
  each_warp([&](const SpanMover& mover, EmulatedWarp& warp, SpanMover::Lane& lane) {
    mover.add_digits_before(warp, lane);
  });
  each_warp([&](const SpanMover& mover, EmulatedWarp& warp, SpanMover::Lane& lane) {
    mover.sort(warp, lane, records);
  });
  each_warp([&](const SpanMover& mover, EmulatedWarp& warp, SpanMover::Lane&) {
    mover.put_all(warp, records,
                  [&](std::uint32_t position, const SortRecord& sorted) { to.at(position) = sorted; });
  });
}

/// The records of a segment in the order of their digits, and of their positions where these are equal.
std::vector<SortRecord> sorted_records(const gpu::SegmentWords& segment, std::uint32_t count) {
  const PositionBits bits(count);
  std::vector<SortRecord> from(count), to(count);
  for (std::uint32_t i = 0; i < count; ++i) from[i] = gpu::record_of(segment, i, bits);
  const std::uint32_t spans = (count - 1) / gpu::span_words + 1;
  std::vector<std::array<std::uint32_t, gpu::digits>> table(spans);
  for (unsigned pass = 0; pass < gpu::sort_passes; ++pass) {
    for (std::uint32_t span = 0; span < spans; ++span) {
      table[span] = {};
      const std::uint32_t first = span * gpu::span_words, records = std::min(count - first, gpu::span_words);
      for (unsigned w = 0; w < gpu::span_warps; ++w) {
        EmulatedWarp::run([&](EmulatedWarp& warp) {
          gpu::count_digits(warp, table[span].data(), w, records, pass,
                            [&](std::uint32_t i) { return from.at(first + i).key; });
        });
      }
      for (std::size_t d = 0; d < gpu::digits && span > 0; ++d) table[span][d] += table[span - 1][d];
    }
    for (std::uint32_t span = 0; span < spans; ++span)
      move_span(from, to, span, pass, [&](std::uint32_t number) { return table[number].data(); });
    from.swap(to);
  }
  for (std::uint32_t t = 1; t < count; ++t) {
    const std::uint32_t before = from[t - 1].key >> gpu::unsorted_bits,
                        own = from[t].key >> gpu::unsorted_bits;
    EXPECT_TRUE(before < own ||
                (before == own && bits.index(from[t - 1].position) < bits.index(from[t].position)));
  }
  return from;
}

/// The distances that follow from sorted records.
std::vector<std::uint32_t> distances_of(const std::vector<SortRecord>& sorted, const PositionBits& bits,
                                        const gpu::SegmentWords& segment) {
  const std::size_t count = sorted.size();
  std::vector<std::uint32_t> links(count, 0), distances(count, 0xDDDDDDDD),
      marks(gpu::TileMarks::words * tiles_of(count), 0xDDDDDDDD);
  for (std::uint32_t tile = 0; tile < count / chunk_words; ++tile) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      gpu::mark_tile(
          warp, [&](std::uint32_t t) { return sorted.at(tile * chunk_words + t); },
          [&](std::uint32_t word, std::uint32_t bits_of_keys) {
            marks.at(gpu::TileMarks::words * tile + word) = bits_of_keys;
          });
    });
  }
  for (std::uint32_t tile = 0; tile < tiles_of(count); ++tile) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      gpu::link_records(
          warp, tile * chunk_words, records_of(count, tile), bits,
          [&](std::uint32_t t) { return sorted.at(t); }, [&](std::uint32_t i) { return marks.at(i); },
          [&](std::uint32_t index, std::uint32_t link) { links.at(index) = link; });
    });
  }
  for (std::uint32_t tile = 0; tile < tiles_of(count); ++tile) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      gpu::with_words(segment, [&](const auto& in) {
        gpu::match_words(
            warp, in, tile * chunk_words, records_of(count, tile),
            [&](std::uint32_t i) { return links.at(i); },
            [&](std::uint32_t i, std::uint32_t distance) { distances.at(i) = distance; });
      });
    });
  }
  return distances;
}

/// The same by all steps of the kernels. The words begin at an odd address if `aligned` is false.
std::vector<std::uint32_t> distances_of(const Words& words, bool aligned) {
  Bytes bytes(8 * words.size() + 4);  // memory is read by 32 bits
  std::memcpy(bytes.data() + (aligned ? 0 : 1), words.data(), 8 * words.size());
  const gpu::SegmentWords segment{bytes.data() + (aligned ? 0 : 1), aligned};
  const auto count = static_cast<std::uint32_t>(words.size());
  return distances_of(sorted_records(segment, count), PositionBits(count), segment);
}

constexpr std::size_t counts[] = {1,  2,   3,    4,    5,    31,   32,       33,   63,
                                  64, 100, 2047, 2048, 2049, 5000, 4 * 2048, 9999, 17000};

TEST(MatchHistoryOfTheGpu, FindsTheMatchesOfTheReference) {
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    for (const std::size_t count : counts) {
      if (sanitized && count > 5000) continue;
      const Words words = some_words(kind, count);
      const Words expected = oracle::encode_history(words);
      const auto distances = distances_of(words, (kind + count) % 2 == 0);
      Bytes bytes(8 * count);
      std::memcpy(bytes.data(), words.data(), bytes.size());
      for (std::uint32_t first = 0; first < 2 * count; first += 1000) {
        const gpu::HistorySource source{
            {bytes.data(), true}, distances.data(), static_cast<std::uint32_t>(count), first};
        for (std::uint32_t i = 0; i < 1000 && first + i < 2 * count; ++i)
          ASSERT_EQ(source.word(i), expected[first + i]) << kind << " " << count << " " << first + i;
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ((gpu::OneKindSource{bytes.data(), distances.data()}.word(i)), expected[i]);
        ASSERT_EQ((gpu::OneKindSource{nullptr, distances.data()}.word(i)), expected[count + i]);
      }
    }
  }
}

/// Keys that share their sorted bits, and words whose hashes are equal, in one group: what the hash and the
/// sort leave to be found out.
TEST(MatchHistoryOfTheGpu, PassesOverOtherKeysAndUnequalWords) {
  Random random(9);
  for (std::size_t round = 0; round < (sanitized ? 12 : 60); ++round) {
    const auto count = static_cast<std::uint32_t>(1 + random.below(round % 3 == 0 ? 16000 : 400));
    const PositionBits bits(count);
    const std::size_t heavy = round % 2 == 0 ? 2000 : 4, keys = 1 + random.below(6),
                      values = 1 + random.below(5);
    Words words(count);
    std::vector<SortRecord> sorted(count);
    for (std::uint32_t t = 0; t < count; ++t) {
      words[t] = random.below(values);
      const std::size_t key = random.below(heavy) == 0 ? random.below(keys) : 0;
      const std::uint32_t group = t < count / 5 ? 0 : 1,
                          hash = random.below(40) == 0 ? 1 : 0;  // few can be published apart
      sorted[t] = {static_cast<std::uint32_t>(group << gpu::unsorted_bits | key), t};
      if (hash != 0) words[t] = 100, sorted[t].position |= 1u << bits.index_bits;
    }
    const gpu::SegmentWords segment{reinterpret_cast<const std::uint8_t*>(words.data()), true};
    const auto distances = distances_of(sorted, bits, segment);
    for (std::uint32_t t = 0; t < count; ++t) {
      std::uint32_t expected = 0, seen = 0;
      for (std::uint32_t c = t; c-- > 0 && seen < 4 && expected == 0;) {
        if (sorted[c].key != sorted[t].key) continue;
        ++seen;
        if (words[c] == words[t]) expected = t - c;
      }
      ASSERT_EQ(distances[t], expected) << round << " " << t;
    }
  }
}

/// Follows distances by the steps of the kernels, with `rounds` rounds. False if pointers are left.
bool resolve(const Words& values_and_distances, unsigned rounds, Bytes& bytes, bool& impossible) {
  const auto count = static_cast<std::uint32_t>(values_and_distances.size() / 2);
  std::vector<std::uint32_t> pointers(count, 0xDDDDDDDD), tile(chunk_words);
  const gpu::SegmentValues values{bytes.data() + 3, false};
  for (std::uint32_t i = 0; i < 2 * count; ++i) {
    bool bad = false;
    if (i < count || i % 2 == 0) {
      gpu::HistorySink{values, {pointers.data(), 0, &bad}, count, i}.put_word(0, values_and_distances[i]);
    } else {
      gpu::DistanceSink{pointers.data(), i - count, &bad}.put_word(0, values_and_distances[i]);
    }
    impossible = impossible || bad;
  }
  if (impossible) return true;
  std::vector<char> left(tiles_of(count), 0);
  static gpu::WaitingWords waiting;
  for (std::uint32_t t = 0; t < left.size(); ++t) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      left[t] =
          gpu::resolve_tile(warp, tile.data(), pointers.data(), values, t * chunk_words, records_of(count, t))
              ? 1
              : 0;
    });
  }
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t t = left.size();
         t-- > 0;) {  // the last ones first: nobody has shortened the way for them
      if (left[t] == 0) continue;
      EmulatedWarp::run([&](EmulatedWarp& warp) {
        left[t] = gpu::follow_pointers(warp, waiting, pointers.data(), values,
                                       static_cast<std::uint32_t>(t) * chunk_words,
                                       records_of(count, static_cast<std::uint32_t>(t)),
                                       [&](std::uint32_t i) { return pointers.at(i); })
                      ? 1
                      : 0;
      });
    }
  }
  return std::all_of(left.begin(), left.end(), [](char l) { return l == 0; });
}

TEST(MatchHistoryOfTheGpu, FollowsMatches) {
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    for (const std::size_t count : counts) {
      const Words words = some_words(kind, count);
      Bytes bytes(8 * count + 3);
      bool impossible = false;
      ASSERT_TRUE(
          resolve(oracle::encode_history(words), gpu::rounds_for(tiles_of(count)), bytes, impossible));
      EXPECT_FALSE(impossible);
      ASSERT_EQ(std::memcmp(bytes.data() + 3, words.data(), 8 * count), 0) << kind << " " << count;
    }
  }
}

/// The longest chain that there can be: every word leads to the last one of the tile before, and all tiles
/// take part.
TEST(MatchHistoryOfTheGpu, EnoughRoundsForTheLongestChain) {
  const std::size_t tiles = sanitized ? 20 : 100, count = tiles * chunk_words;
  Words values_and_distances(2 * count, 1);
  values_and_distances[0] = 42;
  values_and_distances[count] = 0;
  Bytes bytes(8 * count + 3);
  bool impossible = false;
  ASSERT_TRUE(resolve(values_and_distances, gpu::rounds_for(tiles), bytes, impossible));
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(core::load<std::uint64_t>(bytes.data() + 3 + 8 * i), 42u) << i;
  EXPECT_FALSE(resolve(values_and_distances, gpu::rounds_for(tiles) - 2, bytes, impossible))
      << "the test is too weak";
}

TEST(MatchHistoryOfTheGpu, AgreesWithTheReferenceOnAnyDistances) {
  Random random(4);
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t count = 1 + random.below(round % 4 == 0 ? 9000 : 300);
    Words values_and_distances(2 * count), expected;
    for (std::size_t i = 0; i < count; ++i) {
      values_and_distances[i] = random.next();
      values_and_distances[count + i] = random.below(3) == 0 ? 0 : random.below(i + 1);
    }
    if (round % 5 == 0) {
      const std::size_t at = random.below(count);
      values_and_distances[count + at] =
          random.below(2) == 0 ? at + 1 : std::uint64_t{1} << (32 + random.below(32));
    }
    Bytes bytes(8 * count + 3);
    bool impossible = false;
    ASSERT_TRUE(resolve(values_and_distances, gpu::rounds_for(tiles_of(count)), bytes, impossible));
    ASSERT_EQ(!impossible, oracle::decode_history(values_and_distances, expected)) << round;
    if (!impossible) {
      ASSERT_EQ(std::memcmp(bytes.data() + 3, expected.data(), 8 * count), 0) << round;
    }
  }
}

}  // namespace
}  // namespace floe::test
