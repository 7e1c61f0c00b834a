// Do parts that were compressed apart become the frame of the whole?
#include "floe/floe.hpp"

#include <gtest/gtest.h>

#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

using Sizes = std::vector<std::uint64_t>;  ///< Units of the parts, the last one the rest.

/// The frame of an array whose parts have the given numbers of units; the rest is one more part. They are
/// compressed and placed last to first.
Bytes joined(const PartedArray& array, const Bytes& content, std::size_t word_bytes, const Sizes& units) {
  std::vector<CompressedPart> parts;
  auto rest = view_of(content);
  for (std::size_t i = 0; i <= units.size(); ++i) {
    const std::size_t wanted = i < units.size() ? units[i] * array.unit() * word_bytes : rest.size();
    const auto part = rest.first(std::min(wanted, rest.size()));
    rest = rest.subspan(part.size());
    auto compressed = array.compress(part);
    EXPECT_TRUE(compressed) << compressed.status().message();
    if (!compressed) return {};
    EXPECT_EQ(compressed->element_count, part.size() / word_bytes);
    parts.push_back(std::move(*compressed));
  }
  Bytes frame;
  append(frame, array.header());
  PartPosition position{array.header().size()};
  std::vector<PlacedSegment> segments;
  for (CompressedPart& part : parts) {
    const auto elsewhere = array.place(part, {12345, 678, 9});
    EXPECT_TRUE(elsewhere);
    const auto placed = array.place(part, position);
    EXPECT_TRUE(placed) << placed.status().message();
    if (!placed) return {};
    EXPECT_EQ(placed->size(), part.segment_count);
    segments.insert(segments.end(), placed->begin(), placed->end());
    append(frame, part.bytes);
    position = {position.offset + part.bytes.size(), position.first_element + part.element_count,
                position.first_segment + part.segment_count};
  }
  const auto footer = array.footer(segments);
  EXPECT_TRUE(footer) << footer.status().message();
  if (footer) append(frame, *footer);
  return frame;
}

TEST(Parts, WithATreeAreTheFrameOfTheWhole) {
  for (const ArrayCase& c : sampled_cases()) {
    if (c.tree.empty()) continue;
    SCOPED_TRACE(c.name());
    Options options = c.options();
    options.segment_bytes = 16384;
    const Bytes content = c.sample(13, 5 * 16384 + 24, 1);
    const Extent extent = Extent::linear(content.size() / c.word_bytes());
    const auto array = PartedArray::create(c.dtype, extent, options);
    ASSERT_TRUE(array);
    EXPECT_EQ(array->unit(), 16384 / c.word_bytes());
    const Bytes whole = frame_of(content, c.dtype, options);
    for (const Sizes& sizes : {Sizes{}, Sizes{1}, Sizes{2, 0, 2}, Sizes{0, 1, 1, 1, 1, 1}, Sizes{100}})
      EXPECT_EQ(joined(*array, content, c.word_bytes(), sizes), whole);
  }
}

/// Trees are chosen for each part by itself, so bytes depend on parts alone; one part is the whole.
TEST(Parts, WithAGoal) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i16}) {
    Options options;
    options.segment_bytes = 4 * 16384;
    const Extent extent{{11, 3, 5000}, 3};
    const Bytes content = make_bytes(static_cast<unsigned>(8 * size_of(dtype)), 13,
                                     *extent.element_count() * size_of(dtype), 7);
    const auto array = PartedArray::create(dtype, extent, options);
    ASSERT_TRUE(array);
    EXPECT_EQ(joined(*array, content, size_of(dtype), {}), frame_of(content, dtype, extent, options));
    const Bytes parts = joined(*array, content, size_of(dtype), {2, 1});
    options.threads = 3;
    const auto again = PartedArray::create(dtype, extent, options);
    EXPECT_EQ(joined(*again, content, size_of(dtype), {2, 1}), parts);
    const auto reader = Reader::open(view_of(parts));
    ASSERT_TRUE(reader) << reader.status().message();
    EXPECT_EQ(reader->info().extent, extent);
    EXPECT_EQ(decode_memory(parts).content, content);
    EXPECT_EQ(decode_file(parts).content, content);
  }
}

TEST(Parts, OfSmallArrays) {
  const std::byte prefix[] = {std::byte{1}, std::byte{2}};
  Options options;
  options.prefix = prefix;
  options.checksum = false;
  const Extent scalar{{}, 0}, none{{0, 4}, 2};
  for (const Extent& extent : {scalar, none, Extent::linear(1)}) {
    const Bytes content(8 * *extent.element_count(), 5);
    const auto array = PartedArray::create(DType::f64, extent, options);
    ASSERT_TRUE(array);
    EXPECT_EQ(joined(*array, content, 8, {0}), frame_of(content, DType::f64, extent, options));
  }
}

TEST(Parts, ArraysCanBeMovedAndReplaced) {
  const Bytes content = make_bytes(32, 5, 4000, 1);
  auto first = PartedArray::create(DType::f32, Extent::linear(1000)).value(),
       second = PartedArray::create(DType::u8, Extent::linear(1)).value();
  second = std::move(first);
  EXPECT_EQ(joined(second, content, 4, {}), frame_of(content, DType::f32, {}));
}

// What stands in a part is believed only as far as its segments prove it.
TEST(Parts, ThatWereDamagedAreRefusedOrTheSame) {
  Options options;
  options.segment_bytes = 16384;
  const Bytes content = make_bytes(32, 5, 40'000, 1);
  const auto array = PartedArray::create(DType::f32, Extent::linear(10'000), options).value();
  const CompressedPart intact = array.compress(view_of(content)).value();
  for (std::size_t at = 0; at < intact.bytes.size(); at += at < 200 ? 1 : 101) {
    CompressedPart part = intact;
    part.bytes[at] ^= std::byte{64};
    const auto placed = array.place(part, {array.header().size()});
    // Payloads are not looked at; nothing else may differ.
    if (placed) {
      EXPECT_EQ(placed->size(), intact.segment_count) << at;
    } else {
      EXPECT_EQ(placed.status().code, ErrorCode::invalid_argument) << at;
    }
  }
}

TEST(Parts, ThatMakeNoSense) {
  const auto code = [](const auto& result) { return result.status().code; };
  Options options;
  options.segment_bytes = 5;
  EXPECT_EQ(code(PartedArray::create(DType::f32, Extent::linear(9), options)), ErrorCode::invalid_argument);
  options = {};
  const auto array = PartedArray::create(DType::f32, Extent::linear(9), options);
  const auto other = PartedArray::create(DType::i32, Extent::linear(9), options);
  const Bytes content(36, 1);
  EXPECT_EQ(code(array->compress(view_of(content).first(7))), ErrorCode::invalid_argument);

  auto part = *array->compress(view_of(content));
  EXPECT_EQ(code(other->place(part, {})), ErrorCode::invalid_argument);
  const std::size_t size = part.bytes.size();
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{63}, size - 1, size + 1}) {
    auto changed = part;
    changed.bytes.resize(bytes);
    EXPECT_EQ(code(array->place(changed, {})), ErrorCode::invalid_argument) << bytes;
  }
  part.element_count = 8;
  EXPECT_EQ(code(array->place(part, {})), ErrorCode::invalid_argument);

  const std::uint64_t at = array->header().size();
  EXPECT_EQ(code(array->footer({})), ErrorCode::invalid_argument);
  using Segments = std::vector<PlacedSegment>;
  for (const Segments& segments :
       {Segments{{at + 16, 0, 0}}, Segments{{at, 1, 0}}, Segments{{at, 0, 0}, {at, 1, 0}},
        Segments{{at, 0, 0}, {at + 64, 0, 0}}, Segments{{at, 0, 0}, {at + 64, 9, 0}}})
    EXPECT_EQ(code(array->footer(segments)), ErrorCode::invalid_argument);
  EXPECT_TRUE(array->footer(Segments{{at, 0, 0}}));
}

}  // namespace
}  // namespace floe::test
