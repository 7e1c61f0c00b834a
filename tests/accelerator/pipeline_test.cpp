// Whatever an accelerator does or leaves undone, frames and elements are those of the CPU, and its batches
// overlap.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <cstdlib>

#include "core/splitmix.hpp"
#include "floe/floe.hpp"
#include "tests/accelerator/arrays.hpp"
#include "tests/support/fake_accelerator.hpp"
#include "tests/support/sanitized.hpp"

namespace floe {
namespace {

using test::AcceleratorCase;
using test::Elements;
using test::FakeAccelerator;
using Step = FakeAccelerator::Step;

const std::vector<const char*> trees = {"dpspeed",
                                        "dpratio",
                                        "gfc(3)",
                                        "decimal(2),delta,bitpack,bitpack,raw",
                                        "raw",
                                        "sortable,delta,bitpack",
                                        "sortable,delta,entropy"};

/// Of each property; sanitizers take some hundredths of a second for one.
const bool fewer_cases = test::sanitized && setenv("RC_PARAMS", "max_success=25", 0) == 0;

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
  // Sizes are waited for when two batches came after, and a batch is finished when its position is wanted.
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

}  // namespace
}  // namespace floe
