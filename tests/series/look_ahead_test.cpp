// Are the bytes of a column the same whether somebody looked ahead at its segments or not: in time, too late, half, with an outlook that is
// no longer true, or while the segment is being encoded?
#include "plan/look_ahead/look_ahead.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "plan/thesis/edge_stat_planner.hpp"
#include "tests/series/columns.hpp"
#include "tests/series/generators.hpp"

namespace floe::test {
namespace {

using series::ColumnEncoder;
using series::LookAhead;
using series::Outlook;
using series::Preset;
using Segments = std::vector<Column>;

/// Segments that keep their kind, change it from one to the next or within, look the same and are not, and none at all.
Segments changing_segments(std::uint64_t seed) {
  Random random(seed);
  Segments segments;
  std::uint64_t kind = 0;
  for (int i = 0; i < 24; ++i) {
    if (random.below(3) == 0) kind = random.below(6);
    const std::uint64_t count = 1 + random.below(6000);
    std::vector<std::int32_t> words = kind == 0   ? pattern_a<std::int32_t>(count, random.below(5), 10, 1, -100, 1000)
                                      : kind == 1 ? pattern_b<std::int32_t>(count, random.below(5), 3000, 0, 10000, Random(seed + 7))
                                      : kind == 2 ? random_numbers(count, 0, 16, Random(random.next()))
                                                  : random_numbers(count, 10, 10000, Random(random.next()));
    if (kind == 4) std::fill(words.begin(), words.end(), 5);
    if (kind == 5) {
      words = random_numbers(100000, 0, 1000, Random(random.next()));
      for (std::size_t k = 50000; k < words.size(); ++k) words[k] = static_cast<std::int32_t>(k);
    }
    if (kind == 2 && random.below(2) == 0) {  // not seen in the windows of fingerprints
      for (std::size_t k = count / 4; k < count / 3; ++k) words[k] = static_cast<std::int32_t>(k * 100000);
    }
    if (random.below(12) == 0) words.clear();
    segments.emplace_back(DType::i32, words);
  }
  return segments;
}

using MakeEncoder = std::function<std::unique_ptr<ColumnEncoder>()>;

std::vector<std::pair<std::string, MakeEncoder>> encoders() {
  std::vector<std::pair<std::string, MakeEncoder>> all;
  for (const Preset preset : {Preset::balanced, Preset::fast, Preset::gpu, Preset::ratio})
    all.emplace_back(name_of(preset), [preset] { return std::make_unique<ColumnEncoder>(preset); });
  all.emplace_back("fixed", [] { return std::make_unique<ColumnEncoder>(series::plan_from_text("rle,bitpack,delta,bitpack", DType::i32).value()); });
  all.emplace_back("edge statistics", [] { return std::make_unique<ColumnEncoder>(std::make_unique<series::EdgeStatPlanner>(3)); });
  return all;
}

struct Outcome {
  std::vector<std::vector<std::uint8_t>> segments;
  std::uint64_t searches = 0, encoded_twice = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome_of(std::vector<std::vector<std::uint8_t>> segments, const ColumnEncoder& encoder) {
  return {std::move(segments), encoder.report().searches, encoder.report().encoded_twice};
}

Outcome encode_alone(const Segments& segments, const MakeEncoder& make) {
  const auto encoder = make();
  std::vector<std::vector<std::uint8_t>> encoded;
  for (const Column& segment : segments) encoded.push_back(encoder->encode(segment.view()));
  return outcome_of(std::move(encoded), *encoder);
}

/// Before each segment `prepare` may look ahead at it, with one of the outlooks so far, the latest one last.
template <class Prepare>
Outcome encode_ahead(const Segments& segments, const MakeEncoder& make, const Prepare& prepare) {
  const auto encoder = make();
  std::vector<std::optional<Outlook>> outlooks = {encoder->outlook()};
  std::vector<std::vector<std::uint8_t>> encoded;
  series::Scratch scratch;
  for (const Column& segment : segments) {
    const auto ahead = prepare(segment.view(), outlooks);
    encoded.push_back(encoder->encode(segment.view(), scratch, nullptr, ahead.get()));
    outlooks.push_back(encoder->outlook());
  }
  return outcome_of(std::move(encoded), *encoder);
}

void take_steps(LookAhead& ahead, std::uint64_t most) {
  series::Scratch scratch;
  for (std::uint64_t i = 0; i < most && ahead.step(scratch); ++i) {
  }
}

TEST(LookAhead, ChangesNoBytesHoweverFarItCame) {
  for (const auto& [name, make] : encoders()) {
    for (std::uint64_t seed = 0; seed < (name == "ratio" ? 1 : 3); ++seed) {
      Segments segments = changing_segments(seed);
      if (name == "ratio") segments.resize(5);  // its searches take long
      const Outcome alone = encode_alone(segments, make);
      for (const std::uint64_t mode : {0, 1, 2, 3, 4}) {
        Random random(seed);
        const Outcome ahead = encode_ahead(segments, make, [&](const ColumnView& segment, const auto& outlooks) {
          const std::size_t age = mode == 0 ? 0 : mode == 1 ? 1 : random.below(4);
          const std::optional<Outlook>& outlook = outlooks[outlooks.size() - 1 - std::min(age, outlooks.size() - 1)];
          if (!outlook || (mode == 4 && random.below(3) == 0)) return std::unique_ptr<LookAhead>();
          auto look = std::make_unique<LookAhead>(segment, *outlook);
          take_steps(*look, mode <= 2 ? 100 : random.below(4));
          if (mode == 4 && random.below(2) == 0) look->stop();
          return look;
        });
        EXPECT_TRUE(ahead == alone) << name << " " << seed << " " << mode;
      }
    }
  }
}

TEST(LookAhead, ChangesNoBytesWhileTheEncoderRuns) {
  for (const auto& [name, make] : encoders()) {
    if (name == "ratio") continue;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Segments segments = changing_segments(seed);
      Random random(seed);
      const Outcome ahead = encode_ahead(segments, make, [&](const ColumnView& segment, const auto& outlooks) {
        const std::optional<Outlook>& outlook = outlooks[outlooks.size() - 1 - random.below(std::min<std::size_t>(outlooks.size(), 3))];
        if (!outlook) return std::shared_ptr<LookAhead>();
        const auto look = std::make_shared<LookAhead>(segment, *outlook);
        auto thread = std::make_shared<std::jthread>([look = look.get()] { take_steps(*look, 100); });
        return std::shared_ptr<LookAhead>(look.get(), [look, thread](LookAhead*) mutable { thread.reset(); });
      });
      EXPECT_TRUE(ahead == encode_alone(segments, make)) << name << " " << seed;
    }
  }
}

/// Whether an encoder takes all that it needs from what was looked at: it gets no memory to work with.
bool needs_nothing(ColumnEncoder& encoder, const ColumnView& segment, LookAhead* ahead) {
  const std::atomic<bool> stop = true;
  series::Scratch scratch;
  scratch.stop_at(&stop);
  try {
    (void)encoder.encode(segment, scratch, nullptr, ahead);
    return true;
  } catch (const series::WorkStopped&) {
    return false;
  }
}

TEST(LookAhead, LeavesNothingToDoWhereItGuessesRight) {
  const auto numbers = [](std::uint64_t seed) { return Column(DType::i32, random_numbers(20000, 10, 10000, Random(seed))); };
  for (const auto& [name, make] : encoders()) {
    if (name == "edge statistics") {
      EXPECT_FALSE(make()->outlook()) << "nothing can be guessed";
      continue;
    }
    const auto encoder = make();
    for (std::uint64_t i = 0; i < 4; ++i) {  // a search, then a tree that is known
      const Column segment = numbers(i);
      EXPECT_FALSE(needs_nothing(*make(), segment.view(), nullptr)) << name;
      LookAhead ahead(segment.view(), *encoder->outlook());
      take_steps(ahead, 100);
      EXPECT_TRUE(needs_nothing(*encoder, segment.view(), &ahead)) << name << " " << i;
    }
    EXPECT_EQ(encoder->report().searches, name == "fixed" ? 0U : 1U) << name;
  }
}

TEST(LookAhead, KnowsAllPartsOfASegment) {
  std::vector<std::int32_t> words = random_numbers(200000, 0, 1000, Random(1));
  for (std::size_t k = 100000; k < words.size(); ++k) words[k] = static_cast<std::int32_t>(k);
  const Column segment(DType::i32, words);
  ColumnEncoder encoder;
  LookAhead ahead(segment.view(), *encoder.outlook());
  take_steps(ahead, 100);
  EXPECT_TRUE(needs_nothing(encoder, segment.view(), &ahead));
  EXPECT_EQ(encoder.report().searches, 2U);
}

TEST(LookAhead, EndsInTheMiddleOfASearch) {
  const Column segment(DType::i32, random_numbers(20000, 10, 10000, Random(1)));
  LookAhead ahead(segment.view(), *ColumnEncoder().outlook());
  series::Scratch scratch;
  EXPECT_TRUE(ahead.step(scratch));
  ahead.stop();
  EXPECT_FALSE(ahead.step(scratch));
  EXPECT_NO_THROW((void)scratch.take(100));  // for others who work with it
}

}  // namespace
}  // namespace floe::test
