// Which header, segments and footer are taken where there are several of them, forged ones or none?
#include <gtest/gtest.h>

#include "container/layout.hpp"
#include "core/crc32c.hpp"
#include "core/word.hpp"
#include "tests/recovery/recovered.hpp"
#include "tests/support/reseal.hpp"

namespace floe::test {
namespace {

constexpr std::size_t segment_bytes = 16384;

/// Segments of 16 KiB each, and a part of one.
struct Segmented {
  explicit Segmented(std::size_t whole_segments, std::uint64_t seed = 1, DType dtype = DType::u8)
      : content(make_bytes(static_cast<unsigned>(8 * size_of(dtype)), 5, whole_segments * segment_bytes + 800,
                           seed)) {
    Options options;
    options.segment_bytes = segment_bytes;
    options.threads = 1;
    frame = frame_of(content, dtype, options);
    const Reader reader = Reader::open(view_of(frame)).value();
    for (std::uint64_t i = 0; i < reader.info().segment_count; ++i)
      begins.push_back(reader.segment(i).value().offset);
    const StoredSegment last = reader.segment(reader.info().segment_count - 1).value();
    footer = last.offset + last.stored_bytes;
  }
  [[nodiscard]] std::span<const std::uint8_t> part(std::uint64_t begin, std::uint64_t end) const {
    return std::span(frame).subspan(begin, end - begin);
  }
  [[nodiscard]] Bytes without_footer() const {
    return {frame.begin(), frame.begin() + std::ptrdiff_t(footer)};
  }

  Bytes content, frame;
  std::vector<std::uint64_t> begins;  ///< Of segments.
  std::uint64_t footer = 0;
};

Bytes joined(std::initializer_list<std::span<const std::uint8_t>> parts) {
  Bytes bytes;
  for (const auto part : parts) append(bytes, view_of(part));
  return bytes;
}

void remove_magic(Bytes& bytes, std::uint64_t at) { bytes[at] = 0; }

TEST(SeveralFrames, TheFirstWholeOneIsTaken) {
  const Segmented small(1), large(3, 2, DType::u16);
  for (const auto& [first, second] : {std::pair(&small, &large), std::pair(&large, &small)}) {
    const Recovered result = recover(joined({first->frame, second->frame}));
    EXPECT_EQ(result.header, HeaderSource::intact);
    EXPECT_TRUE(result.content == first->content);
    EXPECT_TRUE(result.map.is_complete());
  }
}

TEST(SeveralFrames, WithoutHeadersThatOfWhichMostIsThere) {
  const Segmented small(1), large(3, 2, DType::u16);
  for (const auto& [first, second] : {std::pair(&small, &large), std::pair(&large, &small)}) {
    Bytes bytes = joined({first->frame, second->frame});
    std::fill_n(bytes.begin(), first->begins[0], std::uint8_t{0});
    std::fill_n(bytes.begin() + std::ptrdiff_t(first->frame.size()), second->begins[0], std::uint8_t{0});
    const Recovered result = recover(bytes);
    EXPECT_EQ(result.header, HeaderSource::guessed);
    EXPECT_TRUE(result.content == large.content);
    EXPECT_EQ(result.map.intact_segments, 4u);
  }
}

TEST(SeveralFrames, SimilarOnesMustHaveTheSameHeader) {
  const Segmented lost(2), other(2, 3, DType::u16), alike(1, 4);
  Bytes bytes = lost.frame;
  std::fill_n(bytes.begin(), lost.begins[0], std::uint8_t{0});
  Bytes damaged = alike.frame, cut(alike.frame.begin(), alike.frame.begin() + 20), longer = alike.frame;
  damaged[17] ^= 1;
  core::store(longer.data() + container::header_at::header_bytes, std::uint32_t{1} << 24);
  for (const Bytes& similar : {damaged, cut, longer, other.frame, Bytes(100)}) {
    RecoveryOptions options;
    options.similar_frame = view_of(similar);
    EXPECT_EQ(recover(bytes, options).header, HeaderSource::guessed);
  }
  RecoveryOptions options;
  options.similar_frame = view_of(std::span(alike.frame).first(alike.begins[0]));
  EXPECT_EQ(recover(bytes, options).header, HeaderSource::similar);
}

TEST(SeveralFrames, HeadersWithoutSegmentsDoNotHideOneThatHasThem) {
  const Segmented frame(2), other(1, 1, DType::u16);
  const auto header = other.part(0, other.begins[0]);
  for (const std::size_t decoys : {std::size_t{1}, std::size_t{63}, std::size_t{200}}) {
    Bytes bytes;
    for (std::size_t i = 0; i < decoys; ++i) append(bytes, view_of(header));
    append(bytes, view_of(frame.frame));
    const Recovered result = recover(bytes);
    EXPECT_TRUE(result.content == frame.content);
    // Of so many headers not all are kept.
    EXPECT_EQ(result.header, decoys < 64 ? HeaderSource::intact : HeaderSource::guessed);
  }
  const Recovered alone = recover(header);
  EXPECT_TRUE(alone.status.ok());
  EXPECT_FALSE(alone.map.is_length_known);
  EXPECT_EQ(alone.info.dtype, DType::u16);
}

TEST(SeveralSegments, ThatAreTheSameComeOnce) {
  const Segmented frame(3);
  const auto second = frame.part(frame.begins[1], frame.begins[2]);
  for (const bool has_footer : {true, false}) {
    const Recovered result = recover(
        joined({frame.part(0, frame.begins[3]), second,
                frame.part(frame.begins[3], has_footer ? frame.frame.size() : frame.footer), second}));
    EXPECT_TRUE(result.content == frame.content);
    EXPECT_EQ(result.map.is_length_known, has_footer);
    EXPECT_EQ(result.map.intact_segments, 4u);
  }
}

TEST(SeveralSegments, ThatLieBehindTheFrameReplaceDamagedOnes) {
  const Segmented frame(3);
  Bytes bytes = joined({frame.frame, frame.part(frame.begins[1], frame.begins[2])});
  remove_magic(bytes, frame.begins[1]);
  const Recovered result = recover(bytes);
  EXPECT_TRUE(result.content == frame.content);
  EXPECT_TRUE(result.map.is_complete());
}

/// A segment says with right checksums that it is another one.
Recovered with_forged_segment(const Segmented& frame, std::size_t field, std::uint64_t value,
                              bool has_footer) {
  Bytes bytes = frame.frame;
  core::store(bytes.data() + frame.begins[1] + field, value);
  reseal(bytes);
  if (!has_footer) bytes.resize(frame.footer);
  RecoveryOptions options;
  options.fill_lost = false;
  return recover(bytes, options);
}

TEST(SeveralSegments, ThatContradictTheFooterOrEachOtherAreLost) {
  const Segmented frame(3);
  Bytes without_second = frame.content;
  without_second.erase(without_second.begin() + segment_bytes, without_second.begin() + 2 * segment_bytes);
  using namespace container;
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2 * segment_bytes},
                                    std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    const Recovered result = with_forged_segment(frame, segment_at::first, first, true);
    EXPECT_TRUE(result.content == without_second) << first;
    EXPECT_EQ(result.map.missing_segments, 1u);
    const Recovered without_footer = with_forged_segment(frame, segment_at::first, first, false);
    EXPECT_TRUE(without_footer.status.ok());
    EXPECT_LT(without_footer.map.recovered, frame.content.size());
  }
  for (const std::uint64_t index :
       {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{1} << 60}) {
    const Recovered result = with_forged_segment(frame, segment_at::index, index, true);
    EXPECT_TRUE(result.content == without_second) << index;
    EXPECT_TRUE(with_forged_segment(frame, segment_at::index, index, false).status.ok());
  }
}

TEST(SeveralFooters, ThatOfTheFrameIsTaken) {
  const Segmented frame(2), other(5, 2, DType::u16);
  const auto footer = other.part(other.footer, other.frame.size());
  const Recovered behind = recover(joined({frame.frame, footer, footer}));
  EXPECT_TRUE(behind.content == frame.content);
  EXPECT_TRUE(behind.map.is_complete());
  Bytes many;
  for (int i = 0; i < 70; ++i) append(many, view_of(footer));
  append(many, view_of(frame.frame));
  const Recovered hidden = recover(many);  // of so many footers not all are kept
  EXPECT_TRUE(hidden.content == frame.content);
  EXPECT_FALSE(hidden.map.is_length_known);
}

/// With 8 bytes of the footer changed, `from_end` bytes before its end if that is not 0, and its CRC right.
Recovered with_forged_footer(const Segmented& frame, std::size_t at, std::size_t from_end,
                             std::uint64_t value) {
  Bytes bytes = frame.frame;
  const std::uint64_t end = bytes.size();
  core::store(bytes.data() + (from_end != 0 ? end - from_end : frame.footer + at), value);
  core::store(bytes.data() + end - 8,
              core::crc32c(std::span(bytes).subspan(frame.footer, end - 8 - frame.footer)));
  return recover(bytes);
}

TEST(SeveralFooters, OnesThatMakeNoSenseAreNone) {
  const Segmented frame(2);
  const std::uint64_t size = frame.frame.size(), length = size - frame.footer;
  const auto expect_none = [&](const Recovered& result, std::uint64_t value) {
    EXPECT_TRUE(result.content == frame.content) << value;
    EXPECT_FALSE(result.map.is_length_known) << value;
  };
  for (const std::uint64_t claim :
       {std::uint64_t{0}, std::uint64_t{16}, length - 1, length - 8, length + 8, size + 8, ~std::uint64_t{0}})
    expect_none(with_forged_footer(frame, 0, container::footer_end_bytes, claim), claim);
  const auto magic = core::load<std::uint32_t>(frame.frame.data() + frame.footer);
  for (const std::uint64_t fields : {3, 8, 1 << 20})
    expect_none(with_forged_footer(frame, 0, 0, magic | fields << 32), fields);
}

TEST(SeveralFooters, WhatTheyClaimMustBePossible) {
  const Segmented frame(2, 1, DType::u16);
  const std::uint64_t elements = frame.content.size() / 2;
  for (const std::uint64_t claim :
       {std::uint64_t{0}, elements - 1, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    const Recovered result = with_forged_footer(frame, container::footer_at::outer_size, 0, claim);
    EXPECT_TRUE(result.content == frame.content) << claim;
    EXPECT_EQ(result.info.element_count, elements) << claim;
  }
}

// What is there at first need not be there later: disks fail while they are read.
TEST(SeveralReads, ThatFailAfterSomeTimeLoseWhatTheyRead) {
  for (const SmallFrame& small : small_frames()) {
    SCOPED_TRACE(small.name);
    std::size_t reads = 0;
    const auto failing_from = [&](std::size_t last, bool fails) {
      reads = 0;
      return [&, last, fails, whole = reader_of(small.frame)](std::uint64_t offset, std::span<std::byte> to) {
        if (reads++ < last) return whole(offset, to);
        if (fails) return Status{ErrorCode::io_error, offset, "the disk failed"};
        std::fill(to.begin(), to.end(), std::byte{0});
        return Status{};
      };
    };
    recover(Recovery::open(failing_from(~std::size_t{0}, true), small.frame.size()));
    const std::size_t all = reads;
    for (std::size_t last = 0; last < all && !testing::Test::HasFatalFailure(); last += 1 + all / 40) {
      for (const bool fails : {true, false}) {
        const Recovered result = recover(Recovery::open(failing_from(last, fails), small.frame.size()));
        if (fails && !result.status.ok()) {
          ASSERT_EQ(result.status.code, ErrorCode::io_error) << last;
        } else {
          expect_honest(result, small);
        }
      }
    }
  }
}

// Another frame with the same header, whose segments lie elsewhere, replaces the file while it is read.
TEST(SeveralReads, OfAFileThatChangesGiveNothingOfBoth) {
  const Segmented before(3, 1), after(3, 2);
  Options options;
  options.segment_bytes = segment_bytes;
  options.threads = 1;
  const Bytes constant = frame_of(Bytes(before.content.size()), DType::u8, options);
  ASSERT_TRUE(std::equal(constant.begin(), constant.begin() + std::ptrdiff_t(before.begins[0]),
                         before.frame.begin()));
  for (const Bytes& other : {after.frame, constant}) {
    for (std::size_t last = 0; last < 40; ++last) {
      std::size_t reads = 0;
      const ReadAt changing = [&](std::uint64_t offset, std::span<std::byte> to) {
        const Bytes& now = reads++ < last ? before.frame : other;
        for (std::size_t i = 0; i < to.size(); ++i)
          to[i] = offset + i < now.size() ? static_cast<std::byte>(now[offset + i]) : std::byte{0};
        return Status{};
      };
      const Recovered result = recover(Recovery::open(changing, before.frame.size()));
      if (!result.status.ok()) continue;
      ASSERT_EQ(result.content.size(), result.info.element_count);
      const Bytes& changed = other == constant ? Bytes(before.content.size()) : after.content;
      for (std::uint64_t i = 0; i < result.content.size(); ++i) {
        const bool is_of_one = result.content[i] == before.content[i] || result.content[i] == changed[i];
        ASSERT_TRUE(is_in(result.map.lost, i) ? result.content[i] == 0 : is_of_one) << i << " after " << last;
      }
    }
  }
}

}  // namespace
}  // namespace floe::test
