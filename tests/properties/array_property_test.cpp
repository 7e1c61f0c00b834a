// What holds for every array, shape and choice of options?
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/properties/more_cases.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

/// An array, and how to compress it.
struct Work {
  ArrayCase way;
  Extent extent;
  Options options;
  Bytes content;
  Bytes prefix;

  [[nodiscard]] Options full_options() const {
    Options all = options;
    all.tree = way.tree;
    all.prefix = view_of(prefix);
    return all;
  }
  [[nodiscard]] Bytes frame() const { return frame_of(content, way.dtype, extent, full_options()); }
};

/// Codecs with every type, trees, and every type by every goal.
const std::vector<ArrayCase>& all_ways() {
  static const std::vector<ArrayCase> ways = [] {
    std::vector<ArrayCase> all = codec_cases();
    for (const auto& cases : {tree_cases(), goal_cases()}) all.insert(all.end(), cases.begin(), cases.end());
    return all;
  }();
  return ways;
}

/// Words that are random, small, or repeated.
Bytes any_words(std::size_t word, std::uint64_t count) {
  Bytes content(count * word);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto kept_bits = *rc::gen::inRange<unsigned>(1, 65);
  const auto repeat_one_in = *rc::gen::inRange<std::uint64_t>(1, 6);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t fresh = random.next() >> (64 - kept_bits);
    std::uint8_t* const at = content.data() + i * word;
    if (i >= 3 && random.below(repeat_one_in) != 0) {
      std::memcpy(at, at - 3 * word, word);
    } else {
      std::memcpy(at, &fresh, word);
    }
  }
  return content;
}

/// Arrays of up to some segments, mostly small.
Work any_work() {
  Work work;
  work.way = *rc::gen::elementOf(all_ways());
  work.extent.rank = *rc::gen::inRange<std::uint32_t>(0, 5);
  for (std::uint32_t d = 0; d < work.extent.rank; ++d)
    work.extent.size[d] = *rc::gen::inRange<std::uint64_t>(0, d == 0 ? 400 : 9);
  work.options = work.way.options();
  work.options.threads = *rc::gen::inRange<std::uint32_t>(1, 4);
  work.options.segment_bytes = 16384 * *rc::gen::inRange<std::uint64_t>(1, 5);
  work.options.checksum = *rc::gen::arbitrary<bool>();
  if (work.way.tree == "gfc")
    work.way.tree = "gfc(" + std::to_string(*rc::gen::inRange<std::uint32_t>(2, 33)) + ")";
  work.prefix.resize(*rc::gen::inRange<std::size_t>(0, 50), 7);
  work.content = any_words(work.way.word_bytes(), *work.extent.element_count());
  return work;
}

RC_GTEST_PROP(ArrayProperty, WhatIsReadIsWhatWasWritten, ()) {
  const Work work = any_work();
  const Bytes frame = work.frame();
  RC_ASSERT(!frame.empty());
  RC_ASSERT(decode_memory(frame).content == work.content);
  RC_ASSERT(decode_file(frame).content == work.content);
  RC_ASSERT(decode_restored(frame).content == work.content);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Decoded decoded = decode_stream(frame, [&] { return 1 + random.below(5000); });
  RC_ASSERT(decoded.status.ok());
  RC_ASSERT(decoded.content == work.content);
  const Reader reader = Reader::open(view_of(frame)).value();
  RC_ASSERT(reader.info().extent == work.extent);
  RC_ASSERT(reader.info().dtype == work.way.dtype);
  RC_ASSERT(reader.info().prefix.size() == work.prefix.size());
  RC_ASSERT(reader.info().frame_bytes == frame.size());
}

RC_GTEST_PROP(ArrayProperty, SizeIsWithinTheBound, ()) {
  const Work work = any_work();
  RC_ASSERT(work.frame().size() <= *max_compressed_size(work.way.dtype, work.extent, work.full_options()));
}

RC_GTEST_PROP(ArrayProperty, SliceOfTheFrameIsSliceOfTheArray, ()) {
  const Work work = any_work();
  const Bytes frame = work.frame();
  const auto reader = Reader::open(view_of(frame));
  RC_ASSERT(static_cast<bool>(reader));
  const std::uint64_t elements = reader->info().element_count;
  const std::uint64_t first = *rc::gen::inRange<std::uint64_t>(0, elements + 1),
                      count = *rc::gen::inRange<std::uint64_t>(0, elements - first + 1);
  const std::size_t word = work.way.word_bytes();
  Bytes out(count * word);
  RC_ASSERT(reader->decompress_slice(room_of(out), {first, count}, one_thread).ok());
  RC_ASSERT(
      std::equal(out.begin(), out.end(), work.content.begin() + static_cast<std::ptrdiff_t>(first * word)));
}

RC_GTEST_PROP(ArrayProperty, ThreadsNeverChangeTheFrame, ()) {
  const Work work = any_work();
  Work other = work;
  other.options.threads = *rc::gen::inRange<std::uint32_t>(0, 20);
  RC_ASSERT(work.frame() == other.frame());
}

RC_GTEST_PROP(ArrayProperty, PiecesNeverChangeTheFrame, ()) {
  Work work = any_work();
  if (work.extent.rank == 0) work.extent = Extent::linear(1);
  const std::span<const std::uint64_t> inner(work.extent.size.data() + 1, work.extent.rank - 1);
  // A writer does not see how many entries without elements there are.
  RC_PRE(!work.content.empty() || work.extent.size[0] == 0);
  Bytes written;
  auto writer = Writer::create(sink_to(written), work.way.dtype, inner, work.full_options());
  RC_ASSERT(static_cast<bool>(writer));
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  for (std::size_t at = 0; at < work.content.size();) {
    const std::size_t bytes = std::min<std::size_t>(work.content.size() - at, random.below(40'000));
    RC_ASSERT(writer->write(view_of(work.content).subspan(at, bytes)).ok());
    at += bytes;
  }
  RC_ASSERT(writer->finish().ok());
  RC_ASSERT(written == work.frame());
}

/// Not of prefix or threads, nor of the shape where a tree is given: frames of the same content can be
/// compared by it. Planners look at the shape.
RC_GTEST_PROP(ArrayProperty, DigestIsOfTheContent, ()) {
  Work work = any_work();
  work.options.checksum = true;
  const auto digest_of = [](const Work& of) {
    const Bytes frame = of.frame();
    return Reader::open(view_of(frame))->info().digest;
  };
  Work other = work;
  other.prefix.assign(3, 9);
  if (!work.way.tree.empty()) other.extent = Extent::linear(work.content.size() / work.way.word_bytes());
  other.options.threads = 3;
  RC_ASSERT(digest_of(other) == digest_of(work));
}

RC_GTEST_PROP(ArrayProperty, SegmentsCoverTheArray, ()) {
  const Work work = any_work();
  const Bytes frame = work.frame();
  const Reader reader = Reader::open(view_of(frame)).value();
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < reader.info().segment_count; ++i) {
    const auto segment = reader.segment(i);
    RC_ASSERT(static_cast<bool>(segment));
    RC_ASSERT(segment->first == first);
    RC_ASSERT(segment->count >= 1);
    RC_ASSERT(segment->columns.size() == 1u);
    if (!work.way.tree.empty()) RC_ASSERT(segment->columns[0].trees.size() == 1u);
    first += segment->count;
  }
  RC_ASSERT(first == reader.info().element_count);
}

RC_GTEST_PROP(ArrayProperty, AnyBytesAreRefused, ()) {
  const auto bytes = *rc::gen::arbitrary<Bytes>();
  RC_ASSERT(!decode_memory(bytes).status.ok());
  RC_ASSERT(!decode_file(bytes).status.ok());
  RC_ASSERT(!decode_stream(bytes).status.ok());
}

}  // namespace
}  // namespace floe::test
