// Trees that users give for streams of tables.
#include <gtest/gtest.h>

#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

TEST(TableTrees, AreUsedWhereTheyAreGiven) {
  TableOptions table;
  table.trees = {{"", 0, "bitpack"}, {"count", 0, "delta,bitpack"}, {"1", 0, "delta(2),entropy"}};
  table.segment_rows = 1500;
  std::vector<PlannedSegment> segments;
  Options options;
  options.on_segment = [&segments](const PlannedSegment& segment) { segments.push_back(segment); };
  options.explained_segments = 1;
  const std::string text = some_csv(4000);
  const Bytes frame = table_of(text, table, options);
  EXPECT_EQ(text_of(decode_restored(frame).content), text);
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[0].stored.columns[0].trees, std::vector<std::string>{"delta(2),entropy"});
  EXPECT_EQ(segments[0].stored.columns[2].trees, std::vector<std::string>{"bitpack"});
  EXPECT_EQ(segments[2].stored.columns[1].trees, std::vector<std::string>{"delta,bitpack"});
  EXPECT_EQ(segments[2].stored.first, 3000U);
  std::uint64_t stored_bytes = 0, source_bytes = 0;
  const auto reader = Reader::open(view_of(frame));
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const StoredSegment stored = reader->segment(i).value();
    EXPECT_EQ(stored.offset, segments[i].stored.offset);
    for (std::size_t c = 0; c < 6; ++c)
      EXPECT_EQ(stored.columns[c].trees, segments[i].stored.columns[c].trees);
    stored_bytes += segments[i].stored.stored_bytes;
    source_bytes += segments[i].source_bytes;
  }
  EXPECT_LT(stored_bytes, frame.size());
  EXPECT_EQ(source_bytes, text.size() - text.find('\n') - 1);
  const PlannedStream& explained = segments[0].columns[1].streams[0];
  ASSERT_EQ(explained.nodes.size(), 2U);
  EXPECT_EQ(explained.nodes[1].role, "differences");
  EXPECT_EQ(explained.nodes[1].word_count, 1499U);
  EXPECT_GE(explained.candidates.size(), 2U);
  EXPECT_TRUE(segments[1].columns[2].streams[0].candidates.empty());
}

TEST(TableTrees, ThatDoNotFitEndTheCompression) {
  const auto outcome = [](const GivenTree& tree, std::vector<UnfitTree>& unfit) {
    TableOptions table;
    table.trees = {tree};
    table.on_unfit_tree = [&unfit](const UnfitTree& found) { unfit.push_back(found); };
    auto writer = Writer::create([](std::span<const std::byte>) { return Status{}; }, table);
    if (!writer) return writer.status();
    EXPECT_TRUE(writer->write(view_of(bytes_of("a,b\n1,x\n2,y\n"))).ok());
    return writer->finish();
  };
  std::vector<UnfitTree> unfit;
  EXPECT_EQ(outcome({"a", 0, "delta,sortable,bitpack"}, unfit).byte_offset, 6U);  // no words at all
  EXPECT_TRUE(unfit.empty());
  for (const GivenTree& tree :
       {GivenTree{"a", 0, "sortable,bitpack"}, GivenTree{"c", 0, "bitpack"}, GivenTree{"3", 0, "bitpack"},
        GivenTree{"a", 4, "bitpack"}, GivenTree{"", 0, "sortable,bitpack"}, GivenTree{"a", 0, "spspeed"}}) {
    unfit.clear();
    EXPECT_EQ(outcome(tree, unfit).code, ErrorCode::invalid_argument);
    ASSERT_EQ(unfit.size(), 1U) << tree.column << " " << tree.tree;
    EXPECT_EQ(unfit[0].index, 0U);
    EXPECT_STRNE(unfit[0].reason.detail, "");
  }
  EXPECT_TRUE(outcome({"2", 2, "rle,bitpack,bitpack"}, unfit).ok());
}

// Codecs are leaves like others: a stream of a table may be nothing but one, or have one in its tree.
TEST(TableTrees, MayBeOrHaveCodecs) {
  const Schema schema = {
      {"f", DType::f32, 0}, {"d", DType::f64, 0}, {"h", DType::bf16, 0}, {"b", DType::u8, 0}};
  std::vector<Bytes> columns;
  std::vector<const void*> pointers;
  constexpr std::size_t rows = 30'000;
  for (const Column& column : schema) {
    const std::size_t size = size_of(column.type);
    columns.push_back(make_bytes(static_cast<unsigned>(8 * size), 5, rows * size, 1));
  }
  for (const Bytes& column : columns) pointers.push_back(column.data());
  for (const std::vector<const char*>& trees : std::vector<std::vector<const char*>>{
           {"spspeed", "dpspeed", "speed16", "speed8"},
           {"spratio", "dpratio", "speed16", "rle,bitpack,speed8"},
           {"gfc(3)", "gfc", "split(3),bitpack,speed16,raw", "dict,speed8,bitpack,raw"}}) {
    TableOptions table;
    table.segment_rows = 9000;
    for (std::size_t i = 0; i < trees.size(); ++i) table.trees.push_back({schema[i].name, 0, trees[i]});
    for (const bool checksum : {true, false}) {
      Options options;
      options.checksum = checksum;
      const Bytes frame = columns_frame(pointers, rows, schema, table, options);
      const auto reader = Reader::open(view_of(frame));
      ASSERT_TRUE(reader);
      for (std::size_t i = 0; i < schema.size(); ++i) {
        Bytes values(columns[i].size());
        const Status status = reader->read_values(i, {0, rows}, room_of(values));
        ASSERT_TRUE(status.ok()) << status.message();
        EXPECT_TRUE(values == columns[i]) << trees[i];
      }
      EXPECT_TRUE(decode_stream(frame).content == decode_restored(frame).content);
    }
  }
}

}  // namespace
}  // namespace floe::test
