// What do readers make of a file that becomes another one while they read it?
#include <gtest/gtest.h>

#include "tests/support/small_frames.hpp"

namespace floe::test {
namespace {

/// The first reads are those of one frame, the others those of another one.
ReadAt changing(const Bytes& before, const Bytes& after, std::size_t reads_before) {
  return [&before, &after, reads_before, reads = std::size_t{0}](std::uint64_t offset,
                                                                 std::span<std::byte> to) mutable {
    const Bytes& now = reads++ < reads_before ? before : after;
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = offset + i < now.size() ? static_cast<std::byte>(now[offset + i]) : std::byte{0};
    return Status{};
  };
}

/// Of a table that fits the header of another one, cells may change; sizes of arrays may not.
void read_all(const Reader& reader, const SmallFrame& before, const SmallFrame& after) {
  Bytes content;
  const Status status = reader.restore(sink_to(content), one_thread);
  const bool is_of_one = content == before.content || content == after.content;
  ASSERT_TRUE(!status.ok() || is_of_one || reader.info().segment_count > 1);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(reader.info().segment_count, 3); ++i)
    static_cast<void>(reader.segment(i));
  for (std::size_t column = 0; column < std::min<std::size_t>(reader.info().columns.size(), 4); ++column)
    static_cast<void>(reader.read_texts(column, {0, reader.info().element_count}, one_thread));
}

TEST(ChangingFile, GivesTheOneOrTheOtherOrAnError) {
  const std::vector<SmallFrame> frames = small_frames_of_both_versions();
  std::size_t tried = 0;
  for (std::size_t i = 0; i < frames.size(); i += sanitized ? 5 : 1) {
    // Neighbours are often alike.
    for (const std::size_t other :
         {(i + 1) % frames.size(), (i + 2) % frames.size(), (i + 37) % frames.size()}) {
      SCOPED_TRACE(frames[i].name + " becomes " + frames[other].name);
      for (std::size_t reads = 0; reads < 12 && !testing::Test::HasFatalFailure(); ++reads, ++tried) {
        const auto reader =
            Reader::open(changing(frames[i].frame, frames[other].frame, reads), frames[i].frame.size());
        if (reader) read_all(*reader, frames[i], frames[other]);
      }
    }
  }
  RecordProperty("cases", std::to_string(tried));
}

// The same header, segments and their positions: only streams differ.
TEST(ChangingFile, OfTheSameKindChangesNoLength) {
  TableOptions table;
  table.segment_rows = 16;
  const SmallFrame one{"", bytes_of(some_csv(60, 1)), table_of(some_csv(60, 1), table, {.threads = 1})},
      two{"", bytes_of(some_csv(60, 2)), table_of(some_csv(60, 2), table, {.threads = 1})};
  for (std::size_t reads = 0; reads < 60 && !HasFatalFailure(); ++reads) {
    const auto reader = Reader::open(changing(one.frame, two.frame, reads), one.frame.size());
    if (reader) read_all(*reader, one, two);
  }
}

}  // namespace
}  // namespace floe::test
