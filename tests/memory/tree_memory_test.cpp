// Do trees that are as large as they may be, or claim dictionaries and windows, keep to the limit of memory?
#include <gtest/gtest.h>

#include "container/parts.hpp"
#include "tests/encodings/every_encoding.hpp"
#include "tests/memory/stream_frame.hpp"
#include "tests/series/columns.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/tables.hpp"
#include "tree/tree_decoder.hpp"

namespace floe::test {
namespace {

constexpr std::int64_t tree_slack = 256 << 10;
constexpr unsigned column_count = 50;

/// A stream of one part whose tree is a split into columns, each with the same sub-tree and the same body.
Bytes forged_stream(const std::string& tree, const Bytes& body) {
  core::ByteWriter out;
  out.put_varint(1);
  out.put_varint(0);
  trees::write_plan(trees::plan_from_text(columns_tree(column_count, tree), DType::u32).value(), out);
  for (unsigned i = 0; i < column_count; ++i) out.put_bytes(body);
  return {out.bytes().begin(), out.bytes().end()};
}

Bytes varints(std::initializer_list<std::uint64_t> numbers) {
  core::ByteWriter out;
  for (const std::uint64_t number : numbers) out.put_varint(number);
  return {out.bytes().begin(), out.bytes().end()};
}

/// A frame of one segment with that stream of so many words.
Bytes frame_of_columns(const Bytes& stream, std::uint32_t words) {
  container::Header header;
  header.dtype = DType::u32;
  header.rank = 1;
  header.max_segment_length = words;
  return frame_of_stream(header, stream, words, stream.size());
}

/// The last word, with so much memory.
Status read_last(const Bytes& frame, std::uint32_t words, std::uint64_t memory) {
  const auto reader = Reader::open(view_of(frame));
  if (!reader) return reader.status();
  std::uint32_t word = 1;
  Allocations::begin_peak();
  const Status status = reader->decompress_slice(std::as_writable_bytes(std::span(&word, 1)), {words - 1, 1},
                                                 {.threads = 1, .memory_limit_bytes = memory});
  EXPECT_LE(Allocations::peak_bytes(), static_cast<std::int64_t>(memory) + tree_slack);
  EXPECT_TRUE(!status.ok() || word == 0);
  return status;
}

/// What trees of 50 columns take, of which each keeps more than 256 KiB, is refused with 8 MiB.
void expect_limited(const std::string& tree, const Bytes& body) {
  constexpr std::uint32_t words = column_count << 16;
  const Bytes frame = frame_of_columns(forged_stream(tree, body), words);
  EXPECT_LT(frame.size(), 3000U);
  const Status status = read_last(frame, words, 8 << 20);
  EXPECT_EQ(status.code, ErrorCode::out_of_memory) << tree << ": " << status.message();
  EXPECT_TRUE(read_last(frame, words, 128 << 20).ok()) << tree;
  EXPECT_EQ(decode_restored(frame, {.threads = 1, .memory_limit_bytes = 16 << 20}).status.code,
            ErrorCode::out_of_memory);
  EXPECT_TRUE(decode_restored(frame, {.threads = 4, .memory_limit_bytes = 128 << 20}).status.ok());
}

TEST(TreeMemory, DictionariesOfAllColumnsKeepToTheLimit) {
  Bytes body = varints({1 << 16});  // entries
  append(body, view_of(Bytes{0, 0, 0, 0}));
  append(body, view_of(Bytes{0, 0, 0, 0}));
  expect_limited("unique,constant,constant", body);
}

TEST(TreeMemory, WindowsOfAllColumnsKeepToTheLimit) {
  Bytes body = varints({1 << 16, 0, 1 << 16});  // literals, sequences, the farthest distance
  append(body, view_of(Bytes{0, 0, 0, 0}));
  expect_limited("match,constant,raw,raw,raw", body);
}

TEST(TreeMemory, RowsOfAllColumnsKeepToTheLimit) {
  expect_limited("delta(2,65536),constant", Bytes{0, 0, 0, 0});
}

TEST(TreeMemory, BlocksOfAllColumnsKeepToTheLimit) {
  expect_limited("stride_split(67),constant", Bytes{0, 0, 0, 0});
}

/// As many columns as a tree may have, each with the same sub-tree.
trees::Plan widest_plan(const std::string& child) {
  for (unsigned parts = 64; parts > 1; --parts) {
    if (const auto plan = trees::plan_from_text(columns_tree(parts, child), DType::f64)) return *plan;
  }
  return {};
}

TEST(TreeMemory, TakeNoMoreThanTheyCount) {
  Column words(DType::f64, 64 * 2100), decoded(DType::f64, words.count());
  for (std::uint64_t i = 0; i < words.count(); ++i)
    words.set(i, bits_of(static_cast<double>(core::splitmix(i) % 1000 + i % 64) / 100));
  for (const char* child :
       {"raw", "entropy", "multi_entropy", "sortable,delta,bitpack", "rle,bitpack,raw",
        "sortable,linear(4,9),raw", "grid,raw,raw,raw,raw", "narrow(2,1),raw,raw,raw",
        "affine,raw,raw,raw,raw,raw", "decimal(2,8),entropy,raw,raw", "dpspeed", "dpratio",
        "dict,raw,raw,raw", "unique,raw,raw", "split(2),raw,raw,raw", "match,raw,raw,raw,raw"}) {
    const trees::Plan plan = widest_plan(child);
    if (plan.nodes.empty()) continue;  // takes integers only
    const Bytes stream = ColumnEncoder(plan).encode(words.view());
    const auto decode_within = [&](std::uint64_t bytes) {
      core::MemoryBudget budget(bytes, 0);
      return trees::decode_slice(stream, DType::f64, words.count(), {0, words.count()}, decoded.bytes.data(),
                                 {}, &budget);
    };
    std::uint64_t least = 1 << 20;
    while (decode_within(least).code == ErrorCode::out_of_memory) least += 1 << 20;
    Allocations::begin_peak();
    EXPECT_TRUE(decode_within(least).ok()) << child;
    EXPECT_LE(Allocations::peak_bytes(), static_cast<std::int64_t>(least) + tree_slack) << child;
    EXPECT_LE(least, 64U << 20) << child;
    EXPECT_TRUE(decoded.bytes == words.bytes) << child;
  }
}

// Streams that are decoded side by side share the limit; what does not fit beside others is decoded alone. So
// whether there is memory enough does not depend on threads.
TEST(TreeMemory, StreamsShareTheLimit) {
  constexpr std::size_t rows = 1 << 16, streams = 12, different = 1 << 14;
  TableOptions table;
  table.source = TableSource::records;
  std::vector<std::uint64_t> records(rows * streams);
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i] = core::splitmix(core::splitmix(i) % different + i % streams * different);
  for (std::size_t i = 0; i < streams; ++i)
    table.schema.push_back({std::string(1, static_cast<char>('a' + i)), DType::u64, 0});
  table.trees = {{"", 0, "unique,raw,bitpack"}};
  const auto* const first = reinterpret_cast<const char*>(records.data());
  const Bytes frame = table_of({first, records.size() * sizeof(std::uint64_t)}, table);
  const auto reader = Reader::open(view_of(frame));
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->segment(0)->columns[0].trees[0], "unique,raw,bitpack");
  std::uint64_t limit = 0;
  Status status{ErrorCode::out_of_memory, 0, ""};
  while (!status.ok()) {
    ASSERT_EQ(status.code, ErrorCode::out_of_memory);
    limit += 512 << 10;
    status = reader->restore(ignore, {.threads = 1, .memory_limit_bytes = limit});
  }
  for (int turn = 0; turn < 5; ++turn) {
    Allocations::begin_peak();
    EXPECT_TRUE(reader->restore(ignore, {.threads = 8, .memory_limit_bytes = limit}).ok()) << limit;
    EXPECT_LE(Allocations::peak_bytes(), static_cast<std::int64_t>(limit) + 4 * tree_slack);
  }
}

}  // namespace
}  // namespace floe::test
