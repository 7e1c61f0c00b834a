// Parts on GPUs that are none: when they get their work and are waited for, and that all is settled when
// something fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "floe/cuda_host.hpp"
#include "tests/cuda/part_contents.hpp"
#include "tests/gpu/fake_cuda.hpp"
#include "tests/support/counted_new.hpp"

namespace floe {
namespace {

using test::Allocations;
using test::Bytes;
using test::FakeCuda;

constexpr std::uint64_t segment = 16384;

/// An array of seven segments and a bit in parts.
class Parts {
 public:
  Parts(const char* tree, std::vector<std::uint64_t> cuts, bool pinned)
      : options(test::options_with(tree, segment)) {
    FakeCuda::the() = {};
    cuts.push_back(content.size());
    std::uint64_t begin = 0;
    for (const std::uint64_t end : cuts) {
      cuda::ArrayPart part;
      part.bytes = end - begin;
      part.elements = keep({content.begin() + static_cast<std::ptrdiff_t>(begin),
                            content.begin() + static_cast<std::ptrdiff_t>(end)});
      part.frame_room = *cuda::part_frame_room(part.bytes, DType::f64, options);
      part.frame = keep(Bytes(part.frame_room));
      part.workspace.bytes = *cuda::part_workspace_size(part.bytes, DType::f64, options);
      part.workspace.data = keep(Bytes(part.workspace.bytes));
      part.stream = &streams_.emplace_back();
      if (pinned) {
        part.host_workspace.bytes = *cuda::part_host_workspace_size(part.bytes, DType::f64, options);
        part.host_workspace.data = keep(Bytes(part.host_workspace.bytes));
        FakeCuda::the().pinned.emplace_back(memories_.back());
      }
      parts.push_back(part);
      begin = end;
    }
  }
  [[nodiscard]] Extent extent() const { return Extent::linear(content.size() / 8); }
  [[nodiscard]] Result<cuda::PartedFrame> compress() const {
    return cuda::compress_parts(parts, DType::f64, extent(), options);
  }
  [[nodiscard]] bool settled() const {
    return std::ranges::all_of(streams_, [](const CUstream_st& stream) { return stream.work.empty(); });
  }
  /// Whether the parts are those of the CPU's frame.
  [[nodiscard]] bool are_of(const cuda::PartedFrame& frame) const {
    const auto expected =
        floe::compress(std::as_bytes(std::span(content)), DType::f64, extent(), options).value();
    Bytes gathered(frame.frame_bytes);
    EXPECT_TRUE(cuda::gather(parts, frame, gathered.data(), gathered.size()).ok());
    return std::ranges::equal(std::as_bytes(std::span(gathered)), expected);
  }
  void wipe_elements() const {
    for (const auto& part : parts)
      std::fill_n(static_cast<std::uint8_t*>(part.elements), part.bytes, std::uint8_t{0x77});
  }
  [[nodiscard]] bool have_their_elements() const {
    const std::uint8_t* at = content.data();
    return std::ranges::all_of(parts, [&](const auto& part) {
      at += part.bytes;
      return std::equal(at - part.bytes, at, static_cast<const std::uint8_t*>(part.elements));
    });
  }

  const Bytes content = test::repeats(7 * segment + 808);
  const Options options;
  std::vector<cuda::ArrayPart> parts;

 private:
  void* keep(Bytes content_of_memory) { return memories_.emplace_back(std::move(content_of_memory)).data(); }
  std::deque<Bytes> memories_;
  std::deque<CUstream_st> streams_;
};

const std::vector<std::uint64_t> cuts{segment, 3 * segment, 3 * segment};

TEST(PartsOnFakes, FrameOfTheCpu) {
  for (const char* const codec : {"dpspeed", "gfc(3)", "dpratio", "sortable,delta,bitpack"}) {
    for (const bool pinned : {false, true}) {
      const Parts parts(codec, cuts, pinned);
      const auto frame = parts.compress();
      ASSERT_TRUE(frame) << frame.status().message();
      EXPECT_TRUE(parts.are_of(*frame)) << codec;
      parts.wipe_elements();
      EXPECT_TRUE(cuda::decompress_parts(parts.parts, *frame).ok());
      EXPECT_TRUE(parts.have_their_elements() && parts.are_of(*frame) && parts.settled()) << codec;
    }
  }
}

TEST(PartsOnFakes, AllGpusHaveTheirWorkBeforeAnyIsWaitedFor) {
  const Parts parts("dpspeed", cuts, true);
  const auto frame = parts.compress().value();
  EXPECT_EQ(FakeCuda::the().enqueued_after_waiting, 0);
  EXPECT_EQ(FakeCuda::the().waits, 4);
  FakeCuda::the().waits = 0;
  EXPECT_TRUE(cuda::decompress_parts(parts.parts, frame).ok());
  EXPECT_EQ(FakeCuda::the().enqueued_after_waiting, 0);
  EXPECT_EQ(FakeCuda::the().waits, 4);
}

TEST(PartsOnFakes, WithoutPinnedMemoryOnlyCopiesAreWaitedFor) {
  const Parts parts("dpspeed", cuts, false);
  const auto frame = parts.compress().value();
  EXPECT_EQ(FakeCuda::the().enqueued_after_waiting, 3);  // the copies of the other three
  FakeCuda::the() = {};
  EXPECT_TRUE(cuda::decompress_parts(parts.parts, frame).ok());
  EXPECT_EQ(FakeCuda::the().enqueued_after_waiting, 3);
}

TEST(PartsOnFakes, WithoutMemoryAllIsSettled) {
  for (const char* const codec : {"dpspeed", "dpratio"}) {
    const Parts parts(codec, cuts, true);
    const auto whole = parts.compress().value();
    std::int64_t failures = 0;
    for (std::int64_t n = 1; n == 1 || failures != 0; ++n) {
      Allocations::fail_at(n);
      const auto frame = parts.compress();
      Allocations::fail_at(0);
      failures = Allocations::failures();
      ASSERT_TRUE(parts.settled()) << codec << " " << n;
      ASSERT_TRUE(frame || frame.status().code == ErrorCode::out_of_memory) << frame.status().message();
    }
    EXPECT_TRUE(parts.are_of(whole));
    failures = 0;
    for (std::int64_t n = 1; n == 1 || failures != 0; ++n) {
      Allocations::fail_at(n);
      const Status status = cuda::decompress_parts(parts.parts, whole);
      Allocations::fail_at(0);
      failures = Allocations::failures();
      ASSERT_TRUE(parts.settled()) << codec << " " << n;
      ASSERT_TRUE(status.ok() || status.code == ErrorCode::out_of_memory) << status.message();
    }
  }
}

TEST(PartsOnFakes, WhenACallFailsAllIsSettled) {
  for (const char* const codec : {"dpspeed", "dpratio"}) {
    const Parts parts(codec, cuts, true);
    const auto whole = parts.compress().value();
    bool failed = true;
    for (int n = 0; failed; ++n) {
      FakeCuda::the().calls_until_failure = n;
      const auto frame = parts.compress();
      failed = FakeCuda::the().calls_until_failure < 0;
      EXPECT_EQ(frame.status().code, failed ? ErrorCode::device_error : ErrorCode::ok);
      EXPECT_TRUE(parts.settled());
    }
    failed = true;
    for (int n = 0; failed; ++n) {
      FakeCuda::the().calls_until_failure = n;
      const Status status = cuda::decompress_parts(parts.parts, whole);
      failed = FakeCuda::the().calls_until_failure < 0;
      EXPECT_EQ(status.code, failed ? ErrorCode::device_error : ErrorCode::ok);
      EXPECT_TRUE(parts.settled());
      FakeCuda::the().calls_until_failure = -1;
      ASSERT_TRUE(parts.compress());  // a frame whose kernels did not run stays as it is
    }
  }
}

TEST(PartsOnFakes, RefusedDecodingLeavesTheFrameAsItWas) {
  for (const std::size_t refused : {0u, 1u, 3u}) {  // those with elements
    Parts parts("dpspeed", cuts, true);
    const auto frame = parts.compress().value();
    void* const elements = std::exchange(parts.parts[refused].elements, nullptr);
    EXPECT_EQ(cuda::decompress_parts(parts.parts, frame).code, ErrorCode::invalid_argument);
    EXPECT_TRUE(parts.settled() && parts.are_of(frame));
    parts.parts[refused].elements = elements;
  }
}

TEST(PartsOnFakes, DamageIsReportedWithItsPlace) {
  const Parts parts("dpspeed", cuts, true);
  const auto frame = parts.compress().value();
  const cuda::FramePart& damaged = frame.parts[1];
  static_cast<std::uint8_t*>(parts.parts[1].frame)[damaged.memory_offset + damaged.bytes - 20] ^= 4;
  const Status status = cuda::decompress_parts(parts.parts, frame);
  EXPECT_EQ(status.code, ErrorCode::corrupt_frame);
  EXPECT_GE(status.byte_offset, damaged.frame_offset);
  EXPECT_LT(status.byte_offset, damaged.frame_offset + damaged.bytes);
  EXPECT_TRUE(parts.settled());
}

TEST(PartsOnFakes, MemoryOfTheHostThatIsTooSmall) {
  Parts parts("dpspeed", cuts, true);
  parts.parts[1].host_workspace.bytes -= 8;
  EXPECT_EQ(parts.compress().status().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace floe
