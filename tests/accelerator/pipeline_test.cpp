// Whatever an accelerator does or leaves undone, frames and elements are those of the CPU; and its batches
// overlap, stay within memory, and are over when a call is.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <numeric>

#include "core/splitmix.hpp"
#include "floe/floe.hpp"
#include "tests/accelerator/arrays.hpp"
#include "tests/accelerator/tables.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/fake_accelerator.hpp"
#include "tests/support/sanitized.hpp"

namespace floe {
namespace {

using test::AcceleratorCase;
using test::compress_table;
using test::Elements;
using test::FakeAccelerator;
using test::table_text;
using Step = FakeAccelerator::Step;

const std::vector<const char*> trees = {"dpspeed",
                                        "dpratio",
                                        "gfc(3)",
                                        "decimal(2),delta,bitpack,bitpack,raw",
                                        "raw",
                                        "sortable,delta,bitpack",
                                        "sortable,delta,entropy"};

FakeAccelerator any_accelerator() {
  FakeAccelerator accelerator;
  accelerator.takes_every = *rc::gen::inRange<std::size_t>(1, 4);
  accelerator.at_once = *rc::gen::inRange<std::size_t>(1, 9);
  accelerator.bytes_of_batch = *rc::gen::element<std::uint64_t>(1, 40'000, 1 << 20);
  return accelerator;
}

AcceleratorCase any_array() {
  const std::uint64_t segment_bytes = 16384 * *rc::gen::element<std::uint64_t>(1, 2, 5);
  AcceleratorCase c = test::accelerator_case(6 * *rc::gen::inRange<std::uint64_t>(0, 40'000), segment_bytes,
                                             *rc::gen::elementOf(trees));
  c.options.checksum = *rc::gen::arbitrary<bool>();
  c.options.threads = *rc::gen::inRange(1u, 4u);
  if (*rc::gen::inRange(0, 4) == 0) c.options.tree = {};
  return c;
}

TEST(Pipeline, FramesAreThoseOfTheCpuAndComeBack) {
  rc::check([] {
    const AcceleratorCase c = any_array();
    FakeAccelerator accelerator = any_accelerator();
    const Elements frame = test::compressed(c, c.options);
    RC_ASSERT(test::compressed(c, c.with(accelerator)) == frame);
    RC_ASSERT(compress(c.elements, c.dtype, c.extent, c.with(accelerator)).value() == frame);
    RC_ASSERT(accelerator.max_at_work <= accelerator.at_once);

    Elements back(c.elements.size());
    RC_ASSERT(test::decompress_into(back, frame, test::decode_with(accelerator)).ok());
    RC_ASSERT(back == c.elements);
    RC_ASSERT(accelerator.at_work.empty());
  });
}

/// Trees of neighbours are tried beside those that an accelerator encoded with.
TEST(Pipeline, GoalsPlanAsOnTheCpu) {
  AcceleratorCase c = test::accelerator_case(2'500'000, 0, "");
  c.elements = test::make_elements(c.elements.size(), c.elements.size());
  for (const Profile profile : {Profile::cpu, Profile::gpu}) {
    for (const Goal goal : {Goal::speed, Goal::balance, Goal::ratio}) {
      c.options.profile = profile;
      c.options.goal = goal;
      FakeAccelerator accelerator;
      EXPECT_TRUE(test::compressed(c, c.with(accelerator)) == test::compressed(c, c.options));
      EXPECT_GT(accelerator.batches, 0u);
    }
  }
}

/// So an accelerator may take as much at once as it likes, and all of it in one round.
TEST(Pipeline, TreesOfGpusAreKnownAhead) {
  AcceleratorCase c = test::accelerator_case(1'500'000, 0, "");
  c.elements = test::make_elements(c.elements.size(), c.elements.size());
  c.options.profile = Profile::gpu;
  for (const Goal goal : {Goal::speed, Goal::balance, Goal::ratio}) {
    c.options.goal = goal;
    c.options.threads = 1;
    const Elements frame = test::compressed(c, c.options);
    for (const std::uint32_t threads : {1u, 3u}) {
      for (const std::uint64_t batch_bytes : {std::uint64_t{1} << 20, std::uint64_t{64} << 20}) {
        FakeAccelerator accelerator;
        accelerator.bytes_of_batch = batch_bytes;
        AcceleratorShare share;
        Options options = c.with(accelerator);
        options.threads = threads;
        options.accelerator_share = &share;
        EXPECT_TRUE(test::compressed(c, options) == frame);
        EXPECT_LE(accelerator.batches, c.elements.size() / batch_bytes + 1);
        EXPECT_GT(share.accelerated_bytes, share.words_bytes / 4);  // but for segments that were searched
        EXPECT_EQ(accelerator.placed_bytes != 0, batch_bytes >= c.elements.size());
      }
    }
  }
}

/// Then leaves take its place, on devices as on the CPU.
TEST(Pipeline, StreamsThatAGivenTreeDoesNotTakeAreEncodedByIt) {
  AcceleratorCase c = test::accelerator_case(200'000, 131072, "divide(1,3),delta,bitpack,raw");
  for (std::uint64_t i = 0; i < c.elements.size() / 8; ++i) {
    const std::uint64_t word = i / 16384 % 2 == 0 ? i << 12 : core::splitmix(i);
    std::memcpy(c.elements.data() + 8 * i, &word, 8);
  }
  FakeAccelerator accelerator;
  AcceleratorShare share;
  Options options = c.with(accelerator);
  options.accelerator_share = &share;
  EXPECT_TRUE(test::compressed(c, options) == test::compressed(c, c.options));
  EXPECT_EQ(share.accelerated_bytes, share.words_bytes);
}

/// Several groups are under way, each with its places behind those of the ones before.
TEST(Pipeline, GroupsForGpusOverlap) {
  AcceleratorCase c = test::accelerator_case(test::sanitized ? 2'000'000 : 18'000'000, 0, "");
  c.options.profile = Profile::gpu;
  c.options.goal = Goal::speed;
  c.options.threads = 2;
  const Elements frame = test::compressed(c, c.options);
  for (const bool damages_trees : {false, true}) {
    FakeAccelerator accelerator;
    accelerator.damages_trees = damages_trees;
    EXPECT_TRUE(test::compressed(c, c.with(accelerator)) == frame);
    EXPECT_GE(accelerator.max_at_work, test::sanitized ? 1U : 2U);
    EXPECT_TRUE(accelerator.at_work.empty());
    EXPECT_GT(accelerator.placed_bytes, 0U);
  }
}

/// Other streams have their places by then, which are no longer right.
TEST(Pipeline, WhatIsRefusedWhenSizesAreKnownTheCpuEncodes) {
  AcceleratorCase c = test::accelerator_case(1'000'000, 0, "");
  c.options.profile = Profile::gpu;
  for (const char* const tree : {"", "sortable,delta,entropy"}) {
    c.options.tree = tree;
    FakeAccelerator accelerator;
    accelerator.damages_trees = true;
    EXPECT_TRUE(test::compressed(c, c.with(accelerator)) == test::compressed(c, c.options));
    EXPECT_GT(accelerator.placed_bytes, 0U);
  }
}

TEST(Pipeline, DemandedSpeedIsKeptAsOnTheCpu) {
  AcceleratorCase c = test::accelerator_case(1'000'000, 0, "");
  for (const std::uint32_t megabytes_per_second : {100u, 3000u, 20'000u}) {
    c.options.decode_megabytes_per_second = megabytes_per_second;
    FakeAccelerator accelerator;
    EXPECT_TRUE(test::compressed(c, c.with(accelerator)) == test::compressed(c, c.options));
  }
}

/// Their payloads begin at multiples of 16, wherever the plan ends.
TEST(Pipeline, TreesWithAlignedPayloadsAreThoseOfTheCpu) {
  for (const char* const tree : {"entropy", "int_mult,entropy", "sparse,entropy,entropy"}) {
    AcceleratorCase c = test::accelerator_case(50'000, 16384 * 8, tree);
    c.dtype = DType::i64;
    for (std::size_t i = 0; i < c.elements.size(); ++i)
      c.elements[i] = static_cast<std::byte>(i % 8 == 0 ? core::splitmix(i) % 7 : 0);
    FakeAccelerator accelerator;
    const Elements frame = test::compressed(c, c.options);
    EXPECT_LT(frame.size(), c.elements.size() / 4) << tree;
    EXPECT_TRUE(test::compressed(c, c.with(accelerator)) == frame) << tree;
  }
}

TEST(Pipeline, StreamsAreTheSame) {
  rc::check([](std::uint64_t seed) {
    AcceleratorCase c = any_array();
    const std::array<std::uint64_t, 2> inner = {2, 3};
    c.extent = {{c.extent.size[0] / 6, 2, 3}, 3};
    const Elements prefix(*rc::gen::inRange<std::size_t>(0, 100), std::byte{7});
    c.options.prefix = prefix;
    FakeAccelerator accelerator = any_accelerator();
    Elements frame, back;
    {
      auto writer = Writer::create(test::append_to(frame), c.dtype, inner, c.with(accelerator)).value();
      RC_ASSERT(
          test::in_pieces(c.elements, seed, 100'000, [&](auto piece) { return writer.write(piece); }).ok());
      RC_ASSERT(writer.finish().ok());
    }
    RC_ASSERT(frame == test::compressed(c, c.options));
    RC_ASSERT(test::restore_in_pieces(frame, back, test::decode_with(accelerator)).ok());
    RC_ASSERT(back == c.elements);
    const ReadAt read_at = [&frame](std::uint64_t offset, std::span<std::byte> bytes) {
      std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
      return Status{};
    };
    const auto reader = Reader::open(read_at, frame.size()).value();
    const std::uint64_t count = c.elements.size() / 8, first = count / 3;
    Elements slice(8 * (count - first));
    RC_ASSERT(reader.decompress_slice(slice, {first, count - first}, test::decode_with(accelerator)).ok());
    RC_ASSERT(
        std::equal(slice.begin(), slice.end(), c.elements.begin() + static_cast<std::ptrdiff_t>(8 * first)));
    RC_ASSERT(accelerator.at_work.empty());
  });
}

TEST(Pipeline, StreamsGoStraightToTheFrame) {
  const AcceleratorCase c = test::accelerator_case(300'000, 65536);
  FakeAccelerator accelerator;
  accelerator.bytes_of_batch = 1;
  AcceleratorShare share;
  Options options = c.with(accelerator);
  options.accelerator_share = &share;
  const Elements frame = test::compressed(c, options);
  const auto reader = Reader::open(frame).value();
  std::uint64_t stored = 0;
  for (std::uint64_t i = 0; i < reader.info().segment_count; ++i)
    stored += reader.segment(i).value().columns[0].stored_bytes;
  EXPECT_EQ(accelerator.placed_bytes, stored);
  EXPECT_EQ(share.words_bytes, c.elements.size());
  EXPECT_EQ(share.accelerated_bytes, c.elements.size());
}

TEST(Pipeline, BatchesOverlap) {
  FakeAccelerator accelerator;
  accelerator.bytes_of_batch = 1;
  accelerator.at_once = 4;
  const AcceleratorCase c = test::accelerator_case(8 * 16384 / 8, 16384);
  (void)test::compressed(c, c.with(accelerator));
  EXPECT_EQ(accelerator.max_at_work, 4u);
  // Sizes are waited for when two batches came after, and a batch is finished when its place is wanted.
  const std::vector<std::pair<std::size_t, Step>> first_steps = {
      {0, Step::begin},  {1, Step::begin}, {2, Step::begin},          {0, Step::wait_for_sizes},
      {0, Step::fetch},  {3, Step::begin}, {1, Step::wait_for_sizes}, {1, Step::fetch},
      {0, Step::finish}, {4, Step::begin}};
  ASSERT_GE(accelerator.steps.size(), first_steps.size());
  EXPECT_TRUE(std::equal(first_steps.begin(), first_steps.end(), accelerator.steps.begin()));

  const Elements frame = test::compressed(c, c.options);
  accelerator.steps.clear();
  accelerator.batches = 0;
  Elements back(c.elements.size());
  ASSERT_TRUE(test::decompress_into(back, frame, test::decode_with(accelerator)).ok());
  const std::vector<std::pair<std::size_t, Step>> decoding = {{0, Step::begin},  {1, Step::begin},
                                                              {2, Step::begin},  {3, Step::begin},
                                                              {0, Step::finish}, {4, Step::begin}};
  EXPECT_TRUE(std::equal(decoding.begin(), decoding.end(), accelerator.steps.begin()));
}

TEST(Pipeline, WhatIsLeftTheCpuDoes) {
  for (const char* const tree : {"dpspeed", "sortable,delta,bitpack"}) {
    const AcceleratorCase c = test::accelerator_case(100'000, 16384, tree);
    FakeAccelerator accelerator;
    accelerator.takes_every = 2;
    accelerator.bytes_of_batch = 1;  // batches of one stream are taken, those of more only in part
    AcceleratorShare share;
    Options options = c.with(accelerator);
    options.accelerator_share = &share;
    const Elements frame = test::compressed(c, options);
    EXPECT_EQ(frame, test::compressed(c, c.options));
    EXPECT_EQ(share.accelerated_bytes, c.elements.size());
    accelerator.bytes_of_batch = 1 << 20;
    share = {};
    EXPECT_EQ(test::compressed(c, options), frame);
    EXPECT_EQ(share.words_bytes, c.elements.size());
    EXPECT_LT(share.accelerated_bytes, share.words_bytes);
    share = {};
    DecodeOptions decode = test::decode_with(accelerator);
    decode.accelerator_share = &share;
    Elements back(c.elements.size());
    ASSERT_TRUE(test::decompress_into(back, frame, decode).ok());
    EXPECT_EQ(share.words_bytes, c.elements.size());
    EXPECT_GT(share.accelerated_bytes, share.words_bytes / 3);
    EXPECT_LT(share.accelerated_bytes, share.words_bytes * 2 / 3);
  }
}

TEST(Pipeline, FailuresEndTheCall) {
  for (const char* const tree : {"dpspeed", "sortable,delta,bitpack"}) {
    const AcceleratorCase c = test::accelerator_case(100'000, 16384, tree);
    const Elements frame = test::compressed(c, c.options);
    for (const Step failing : {Step::begin, Step::wait_for_sizes, Step::fetch, Step::finish}) {
      for (const std::size_t batch : {0u, 3u}) {
        FakeAccelerator accelerator;
        accelerator.bytes_of_batch = 1;
        accelerator.before_step = [=](std::size_t number, Step step) -> Status {
          if (number < batch || step != failing) return {};
          return {ErrorCode::device_error, 0, "the device is gone"};
        };
        Elements out(frame.size()), back(c.elements.size());
        EXPECT_EQ(compress_into(out, c.elements, c.dtype, c.extent, c.with(accelerator)).status().message(),
                  "device_error: the device is gone");
        EXPECT_TRUE(accelerator.at_work.empty());
        accelerator.batches = 0;
        const Status status = test::decompress_into(back, frame, test::decode_with(accelerator));
        const bool is_of_decoding = failing == Step::begin || failing == Step::finish;
        EXPECT_EQ(status.code, is_of_decoding ? ErrorCode::device_error : ErrorCode::ok);
        EXPECT_TRUE(accelerator.at_work.empty());
      }
    }
  }
}

TEST(Pipeline, StreamsThatMakeNoSenseAreNotWritten) {
  const AcceleratorCase c = test::accelerator_case(50'000, 65536);
  FakeAccelerator accelerator;
  accelerator.damages_streams = true;
  Elements out(max_compressed_size(c.dtype, c.extent, c.options).value());
  EXPECT_EQ(compress_into(out, c.elements, c.dtype, c.extent, c.with(accelerator)).status().code,
            ErrorCode::device_error);
}

TEST(Pipeline, EveryDamageIsReportedAsByTheCpu) {
  for (const char* const tree : {"dpspeed", "sortable,delta,bitpack"}) {
    const AcceleratorCase c = test::accelerator_case(20'000, 32768, tree);
    const Elements frame = test::compressed(c, c.options);
    FakeAccelerator accelerator;
    accelerator.bytes_of_batch = 1;
    DecodeOptions by_cpu;
    by_cpu.threads = 1;
    for (std::size_t at = 0; at < frame.size(); at += at < 400 || at + 400 > frame.size() ? 1 : 499) {
      Elements damaged = frame;
      damaged[at] ^= std::byte{0x10};
      Elements back(c.elements.size()), cpu_out, out;
      const Status expected = test::decompress_into(back, damaged, by_cpu);
      const Status status = test::decompress_into(back, damaged, test::decode_with(accelerator));
      EXPECT_EQ(status.message(), expected.message()) << at;
      EXPECT_EQ(test::restore_in_pieces(damaged, out, test::decode_with(accelerator)).message(),
                test::restore_in_pieces(damaged, cpu_out, by_cpu).message())
          << at;
      EXPECT_EQ(out, cpu_out) << at;
    }
    for (std::size_t length = 0; length < frame.size(); length += 501) {
      Elements cpu_out, out;
      const auto cut = std::span(frame).first(length);
      EXPECT_EQ(test::restore_in_pieces(cut, out, test::decode_with(accelerator)).message(),
                test::restore_in_pieces(cut, cpu_out, by_cpu).message());
    }
  }
}

TEST(Pipeline, MemoryLimit) {
  const AcceleratorCase c = test::accelerator_case(100'000, 65536);
  const Elements frame = test::compressed(c, c.options);
  Elements back(c.elements.size());
  FakeAccelerator accelerator;
  accelerator.bytes_of_batch = 1;
  accelerator.needed_bytes = 100'000;
  AcceleratorShare share;
  const auto decompress = [&](std::uint64_t limit) {
    share = {};
    accelerator.max_at_work = 0;
    DecodeOptions options = test::decode_with(accelerator, limit);
    options.accelerator_share = &share;
    std::fill(back.begin(), back.end(), std::byte{0});
    EXPECT_TRUE(test::decompress_into(back, frame, options).ok());
    EXPECT_EQ(back, c.elements);
  };
  decompress(1'000'000);
  EXPECT_EQ(share.accelerated_bytes, share.words_bytes);
  EXPECT_EQ(accelerator.max_at_work, 4u);
  decompress(250'000);  // two batches
  EXPECT_EQ(share.accelerated_bytes, share.words_bytes);
  EXPECT_EQ(accelerator.max_at_work, 2u);
  decompress(90'000);  // none
  EXPECT_EQ(share.accelerated_bytes, 0u);
  Elements out;
  EXPECT_EQ(test::restore_in_pieces(frame, out, test::decode_with(accelerator, 65'000)).code,
            ErrorCode::out_of_memory);
}

TEST(Pipeline, CopiesAreTasksOfTheExecutor) {
  const AcceleratorCase c = test::accelerator_case(2'000'000, 8 << 20);
  FakeAccelerator accelerator;
  std::atomic<std::uint32_t> tasks = 0;
  const Executor executor = [&tasks](std::uint32_t count, const Task& task) {
    for (std::uint32_t i = 0; i < count; ++i) task(i);
    tasks += count;
  };
  Options options = c.with(accelerator);
  options.threads = 3;
  options.executor = &executor;
  const Elements frame = test::compressed(c, options);
  EXPECT_GT(tasks, 1u);
  EXPECT_EQ(frame, test::compressed(c, c.options));
}

TEST(Pipeline, SeveralWritersShareIt) {
  const AcceleratorCase a = test::accelerator_case(90'000, 16384),
                        b = test::accelerator_case(110'000, 32768, "gfc");
  FakeAccelerator accelerator;
  accelerator.bytes_of_batch = 1;
  Elements frame_a, frame_b;
  {
    auto writer_a = Writer::create(test::append_to(frame_a), a.dtype, {}, a.with(accelerator)).value();
    auto writer_b = Writer::create(test::append_to(frame_b), b.dtype, {}, b.with(accelerator)).value();
    for (std::size_t at = 0; at < b.elements.size(); at += 40'000) {
      const auto piece = [at](const Elements& of) {
        const std::size_t begin = std::min(at, of.size());
        return std::span(of).subspan(begin, std::min<std::size_t>(40'000, of.size() - begin));
      };
      ASSERT_TRUE(writer_a.write(piece(a.elements)).ok() && writer_b.write(piece(b.elements)).ok());
    }
    ASSERT_TRUE(writer_a.finish().ok());
    ASSERT_TRUE(writer_b.finish().ok());
  }
  EXPECT_EQ(frame_a, test::compressed(a, a.options));
  EXPECT_EQ(frame_b, test::compressed(b, b.options));
}

TEST(Pipeline, TooSmallOutput) {
  const AcceleratorCase c = test::accelerator_case(100'000, 16384);
  const Elements frame = test::compressed(c, c.options);
  FakeAccelerator accelerator;
  accelerator.bytes_of_batch = 40'000;
  Elements out(frame.size());
  EXPECT_TRUE(compress_into(out, c.elements, c.dtype, c.extent, c.with(accelerator)));
  EXPECT_EQ(out, frame);
  for (const std::size_t less : {std::size_t{1}, std::size_t{20'000}, frame.size()}) {
    const auto room = std::span(out).first(frame.size() - less);
    EXPECT_EQ(compress_into(room, c.elements, c.dtype, c.extent, c.with(accelerator)).status().code,
              ErrorCode::output_too_small);
    EXPECT_TRUE(accelerator.at_work.empty());
  }
}

TEST(Pipeline, WithoutMemoryNothingIsAtWork) {
  const std::string text = table_text(400);
  const AcceleratorCase c = test::accelerator_case(20'000, 16384);
  const Elements frame = test::compressed(c, c.options);
  FakeAccelerator accelerator;
  accelerator.bytes_of_batch = 1;
  Options options;
  options.accelerator = &accelerator;
  Elements out(frame.size()), back(c.elements.size());
  const std::vector<std::function<Status()>> works = {
      [&] { return compress_table(text, options, [](auto) { return Status{}; }); },
      [&] { return compress_into(out, c.elements, c.dtype, c.extent, c.with(accelerator)).status(); },
      [&] { return test::decompress_into(back, frame, test::decode_with(accelerator)); }};
  for (const auto& each : works) {
    const auto work = [&each]() -> Status {
      try {
        return each();
      } catch (const std::bad_alloc&) {  // only what is around the calls throws
        return {ErrorCode::out_of_memory, 0, "no memory"};
      }
    };
    ASSERT_TRUE(work().ok());
    bool has_failed = true;
    unsigned failures = 0;
    for (std::int64_t n = 1; has_failed; n += 1 + n / 30) {
      test::Allocations::fail_at(n);
      const Status status = work();
      has_failed = test::Allocations::failures() > 0;
      test::Allocations::fail_at(0);
      EXPECT_TRUE(accelerator.at_work.empty()) << n;
      ASSERT_TRUE(status.ok() || (has_failed && status.code == ErrorCode::out_of_memory))
          << status.message() << " at " << n;
      if (!status.ok()) ++failures;
    }
    EXPECT_GT(failures, 5u);
  }
}

}  // namespace
}  // namespace floe
