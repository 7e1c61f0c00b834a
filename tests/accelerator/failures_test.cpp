// What fails – an accelerator, memory, the frame, the output – ends a call as on the CPU, and nothing is at
// work then.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "floe/floe.hpp"
#include "tests/accelerator/arrays.hpp"
#include "tests/accelerator/tables.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/fake_accelerator.hpp"

namespace floe {
namespace {

using test::AcceleratorCase;
using test::compress_table;
using test::Elements;
using test::FakeAccelerator;
using test::table_text;
using Step = FakeAccelerator::Step;

TEST(AcceleratorFailures, FailuresEndTheCall) {
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

TEST(AcceleratorFailures, StreamsThatMakeNoSenseAreNotWritten) {
  const AcceleratorCase c = test::accelerator_case(50'000, 65536);
  FakeAccelerator accelerator;
  accelerator.damages_streams = true;
  Elements out(max_compressed_size(c.dtype, c.extent, c.options).value());
  EXPECT_EQ(compress_into(out, c.elements, c.dtype, c.extent, c.with(accelerator)).status().code,
            ErrorCode::device_error);
}

TEST(AcceleratorFailures, EveryDamageIsReportedAsByTheCpu) {
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

TEST(AcceleratorFailures, MemoryLimit) {
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

TEST(AcceleratorFailures, TooSmallOutput) {
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

TEST(AcceleratorFailures, WithoutMemoryNothingIsAtWork) {
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
