// What holds for every array, shape and choice of options?
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

/// Ten times as many cases as usual, unless the caller says how many.
const bool more_cases = setenv("RC_PARAMS", sanitized ? "max_success=100" : "max_success=1000", 0) == 0;

struct Task {
  CodecCase codec;
  Extent extent;
  Options options;
  Bytes content;
  Bytes prefix;
};

/// Arrays of up to some segments, mostly small; words that are random, small, or repeated.
Task any_task() {
  Task task;
  task.codec = *rc::gen::elementOf(codec_cases());
  task.extent.rank = *rc::gen::inRange<std::uint32_t>(0, 5);
  for (std::uint32_t d = 0; d < task.extent.rank; ++d)
    task.extent.size[d] = *rc::gen::inRange<std::uint64_t>(0, d == 0 ? 400 : 12);
  task.options = task.codec.options();
  task.options.threads = *rc::gen::inRange<std::uint32_t>(1, 4);
  task.options.segment_bytes = 16384 * *rc::gen::inRange<std::uint64_t>(1, 5);
  task.options.checksum = *rc::gen::arbitrary<bool>();
  if (task.codec.codec.name == "gfc") task.options.dimensionality = *rc::gen::inRange<std::uint32_t>(1, 33);
  task.prefix.resize(*rc::gen::inRange<std::size_t>(0, 50), 7);

  const std::size_t word = task.codec.word_bytes();
  task.content.resize(*task.extent.element_count() * word);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto kept_bits = *rc::gen::inRange<unsigned>(1, 65);
  const auto repeat_one_in = *rc::gen::inRange<std::uint64_t>(1, 6);
  for (std::size_t i = 0; i < task.content.size() / word; ++i) {
    const std::uint64_t fresh = random.next() >> (64 - kept_bits);
    std::uint8_t* const at = task.content.data() + i * word;
    if (i >= 3 && random.below(repeat_one_in) != 0) {
      std::memcpy(at, at - 3 * word, word);
    } else {
      std::memcpy(at, &fresh, word);
    }
  }
  return task;
}

Bytes task_frame(const Task& task) {
  Options options = task.options;
  options.prefix = view_of(task.prefix);
  return frame_of(task.content, task.codec.dtype, task.extent, options);
}

RC_GTEST_PROP(FrameProperty, WhatIsReadIsWhatWasWritten, ()) {
  const Task task = any_task();
  const Bytes frame = task_frame(task);
  RC_ASSERT(!frame.empty());
  RC_ASSERT(decode_view(frame).content == task.content);
  RC_ASSERT(decode_reader(frame).content == task.content);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Decoded decoded = decode_stream(frame, [&] { return 1 + random.below(5000); });
  RC_ASSERT(decoded.status.ok());
  RC_ASSERT(decoded.content == task.content);
  const FrameInfo info = FrameView::parse(view_of(frame))->info();
  RC_ASSERT(info.extent == task.extent);
  RC_ASSERT(info.prefix.size() == task.prefix.size());
}

RC_GTEST_PROP(FrameProperty, SizeIsWithinTheBound, ()) {
  const Task task = any_task();
  Options options = task.options;
  options.prefix = view_of(task.prefix);
  RC_ASSERT(task_frame(task).size() <= *max_compressed_size(task.codec.dtype, task.extent, options));
}

RC_GTEST_PROP(FrameProperty, SliceOfTheFrameIsSliceOfTheArray, ()) {
  const Task task = any_task();
  const Bytes frame = task_frame(task);
  const auto view = FrameView::parse(view_of(frame));
  RC_ASSERT(static_cast<bool>(view));
  const std::uint64_t elements = view->info().element_count;
  const std::uint64_t first = *rc::gen::inRange<std::uint64_t>(0, elements + 1),
                      count = *rc::gen::inRange<std::uint64_t>(0, elements - first + 1);
  const std::size_t word = task.codec.word_bytes();
  Bytes out(count * word);
  RC_ASSERT(view->decompress_slice(room_of(out), {first, count}, {1, 1 << 30}).ok());
  RC_ASSERT(
      std::equal(out.begin(), out.end(), task.content.begin() + static_cast<std::ptrdiff_t>(first * word)));
}

RC_GTEST_PROP(FrameProperty, ParallelWritersAgree, ()) {
  const Task task = any_task();
  Task other = task;
  other.options.threads = *rc::gen::inRange<std::uint32_t>(0, 20);
  RC_ASSERT(task_frame(task) == task_frame(other));
}

/// Not of shape, prefix or threads: frames of the same content can be compared by it.
RC_GTEST_PROP(FrameProperty, DigestIsOfTheContent, ()) {
  Task task = any_task();
  task.options.checksum = true;
  const auto digest_of = [](const Task& of) {
    return FrameView::parse(view_of(task_frame(of)))->info().digest;
  };
  Task other = task;
  other.prefix.assign(3, 9);
  other.extent = Extent::linear(task.content.size() / task.codec.word_bytes());
  other.options.threads = 3;
  RC_ASSERT(digest_of(other) == digest_of(task));
}

RC_GTEST_PROP(FrameProperty, AnyBytesAreRefusedOrDecoded, ()) {
  const auto bytes = *rc::gen::arbitrary<Bytes>();
  RC_ASSERT(!decode_view(bytes).status.ok());
  RC_ASSERT(!decode_stream(bytes).status.ok());
}

}  // namespace
}  // namespace floe::test
