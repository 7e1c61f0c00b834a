// Is a table through a StreamEncoder byte by byte the one that the CPU makes alone, whatever the encoder leaves to the CPU?
#include "pipeline/tables/batch_coder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "floe/series.hpp"
#include "pipeline/column_codec.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/greedy_device.hpp"
#include "tests/support/partly_device.hpp"

namespace floe::tables {
namespace {

/// Encodes as a device does.
class PartlyEncoder final : public test::PartlyDevice<StreamEncoder, StreamWords> {
 public:
  using PartlyDevice::PartlyDevice;
  [[nodiscard]] std::size_t encoded() const { return encoded_; }
  [[nodiscard]] const std::set<std::string>& trees() const { return trees_; }

 private:
  void take(StreamWords& stream, bool is_chosen) override {
    if (!is_chosen) return;
    EXPECT_FALSE(stream.is_encoded);
    const series::ColumnView words{type_of(stream), stream.words, stream.count};
    const Result<series::Plan> plan = series::plan_from_text(stream.tree, words.type);
    ASSERT_TRUE(plan) << stream.tree;
    const std::vector<std::uint8_t> bytes = series::ColumnEncoder(*plan).encode(words);
    stream.bytes.resize(bytes.size());
    std::memcpy(stream.bytes.data(), bytes.data(), bytes.size());
    stream.is_encoded = true;
    ++encoded_;
    trees_.insert(stream.tree);
  }

  std::size_t encoded_ = 0;
  std::set<std::string> trees_;
};

/// Numbers, times, words and texts; a column changes its kind in the middle of the table, another one within segments.
std::string mixed_text() {
  std::string text = "time,regime,jump,word,text\n";
  std::uint64_t random = 1;
  for (int i = 0; i < 12000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const int noise = static_cast<int>(random >> 40);
    const int regime = i / 2000 % 2 == 0 ? i / 50 : noise % 100000;
    const int jump = i % 4000 < 1234 ? 7 : noise;
    text += std::to_string(1500000000 + i * 60) + ',' + std::to_string(regime) + '.' + std::to_string(i % 10) + ',' + std::to_string(jump) +
            (noise % 3 == 0 ? ",open," : ",closed,") + "row " + std::to_string(noise) + '\n';
    if (i == 5000) text += "a line that is no row\n";
  }
  return text;
}

struct Outcome {
  std::string table;
  Status status;
  EncoderShare share;
  TableInfo info;
};

Outcome compressed(const std::string& input, const TableOptions& options, StreamEncoder* streams,
                   std::size_t most_bytes = ~std::size_t{0}) {
  Outcome outcome;
  auto compressor = TableCompressor::create(
      [&](std::span<const std::byte> bytes) -> Status {
        outcome.table.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return outcome.table.size() > most_bytes ? Status{ErrorCode::io_error, 0, "full"} : Status{};
      },
      options, streams);
  if (!compressor) return {"", compressor.status(), {}, {}};
  outcome.status = compressor->write(std::as_bytes(std::span(input)));
  if (outcome.status.ok()) outcome.status = compressor->finish();
  outcome.share = compressor->encoder_share();
  outcome.info = compressor->info();
  return outcome;
}

TEST(BatchCoder, MakesTheSameBytes) {
  const std::string text = mixed_text();
  for (const Profile profile : {Profile::cpu, Profile::gpu}) {
    TableOptions options;
    options.segment_rows = 500;
    options.profile = profile;
    const Outcome plain = compressed(text, options, nullptr);
    ASSERT_TRUE(plain.status.ok());
    for (const std::size_t every : {1, 2, 1000}) {
      for (const std::uint64_t batch_bytes : {1, 50000, 1000000000}) {
        PartlyEncoder streams(every, batch_bytes, every + 1);  // as many batches at once as two devices have, or more
        options.threads = every == 2 ? 1 : 3;
        const Outcome beside = compressed(text, options, &streams);
        ASSERT_TRUE(beside.status.ok()) << beside.status.message();
        EXPECT_TRUE(beside.table == plain.table);
        EXPECT_EQ(beside.info.row_count, plain.info.row_count);
        EXPECT_TRUE(streams.is_idle());
        EXPECT_EQ(streams.batches() == 2, batch_bytes == 1000000000);
        EXPECT_GT(streams.encoded(), every == 1 ? 50U : 0U);
        EXPECT_GT(beside.share.beside_bytes, 0U);
        EXPECT_LT(beside.share.beside_bytes, beside.share.words_bytes);  // never the first segment
      }
    }
  }
}

TEST(BatchCoder, AsksOnlyForTreesOfItsProfile) {
  TableOptions options;
  options.segment_rows = 500;
  options.profile = Profile::gpu;
  PartlyEncoder streams(1, 1, 2);
  ASSERT_TRUE(compressed(mixed_text(), options, &streams).status.ok());
  EXPECT_FALSE(streams.trees().empty());
  for (const std::string& tree : streams.trees()) {
    EXPECT_EQ(tree.find("entropy"), std::string::npos) << tree;
    EXPECT_EQ(tree.find("codec"), std::string::npos) << tree;
  }
}

TEST(BatchCoder, TakesGivenTreesAndRecords) {
  std::string records;
  for (std::uint32_t i = 0; i < 9000; ++i) {
    const std::uint32_t key = i / 3;
    const double value = 0.25 * i;
    records.append(reinterpret_cast<const char*>(&key), sizeof key).append(reinterpret_cast<const char*>(&value), sizeof value);
    records.append(2, static_cast<char>(i % 7));
  }
  records += "rest";
  TableOptions options;
  options.source = TableSource::records;
  options.schema = {{"key", DType::u32}, {"value", DType::f64}};
  options.padding_bytes = 2;
  options.segment_rows = 700;
  options.trees = {{"key", 0, "rle,bitpack,delta,bitpack"}};
  const Outcome plain = compressed(records, options, nullptr);
  ASSERT_TRUE(plain.status.ok());
  PartlyEncoder streams(1, 20000, 4);
  const Outcome beside = compressed(records, options, &streams);
  EXPECT_TRUE(beside.table == plain.table);
  EXPECT_TRUE(streams.trees().contains("rle,bitpack,delta,bitpack"));
}

TEST(BatchCoder, TakesColumnsInMemory) {
  std::vector<std::int64_t> times(5000);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<std::int64_t>(1000 * i + i % 7);
  TableOptions options;
  options.source = TableSource::columns;
  options.schema = {{"t", DType::time}};
  options.segment_rows = 300;
  std::string tables[2];
  for (const bool is_beside : {false, true}) {
    PartlyEncoder streams(1, 10000, 2);
    auto compressor = TableCompressor::create(
        [&](std::span<const std::byte> bytes) {
          tables[is_beside].append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          return Status{};
        },
        options, is_beside ? &streams : nullptr);
    ASSERT_TRUE(compressor);
    for (int round = 0; round < 2; ++round) {
      std::vector<std::int64_t> values = times;  // gone before the next call
      const void* const columns[] = {values.data()};
      ASSERT_TRUE(compressor->write_columns(columns, values.size()).ok());
    }
    ASSERT_TRUE(compressor->finish().ok());
    EXPECT_EQ(streams.encoded() > 0, is_beside);
  }
  EXPECT_TRUE(tables[0] == tables[1]);
}

TEST(BatchCoder, SaysOfSegmentsWhatTheCpuSays) {
  const std::string text = mixed_text();
  TableOptions options;
  options.segment_rows = 1000;
  options.explained_segments = 2;
  std::string said[2];
  for (const bool is_beside : {false, true}) {
    options.on_segment = [&](const PlannedSegment& segment) {
      said[is_beside] += std::to_string(segment.source_bytes) + ' ' + std::to_string(segment.stored.first_row) + '\n';
      for (const StoredColumn& column : segment.stored.columns) {
        for (const std::string& tree : column.trees) said[is_beside] += tree + '\n';
      }
      for (const PlannedColumn& column : segment.columns) {
        for (const PlannedStream& stream : column.streams)
          said[is_beside] += std::to_string(stream.stored_bytes) + ' ' + std::to_string(stream.candidates.size()) + '\n';
      }
    };
    PartlyEncoder streams(1, 100000, 2);
    ASSERT_TRUE(compressed(text, options, is_beside ? &streams : nullptr).status.ok());
  }
  EXPECT_EQ(said[0], said[1]);
  EXPECT_GT(said[0].size(), 1000U);
}

TEST(BatchCoder, DoesNotTrustBytesThatAreNoSegment) {
  /// Says that it encoded, and did not.
  class Liar final : public StreamEncoder {
   public:
    [[nodiscard]] std::uint64_t batch_bytes() const override { return 1; }
    [[nodiscard]] std::size_t batches_at_once() const override { return 1; }
    Status begin(std::span<StreamWords> streams) override {
      streams_ = streams;
      return {};
    }
    Status finish() override {
      for (StreamWords& stream : streams_) stream.is_encoded = true;
      return {};
    }

   private:
    std::span<StreamWords> streams_;
  };
  TableOptions options;
  options.segment_rows = 2000;
  Liar liar;
  EXPECT_TRUE(compressed(mixed_text(), options, &liar).table == compressed(mixed_text(), options, nullptr).table);
}

TEST(BatchCoder, EndsWithTheErrorsOfOthers) {
  const std::string text = mixed_text();
  TableOptions options;
  options.segment_rows = 500;
  PartlyEncoder lost(1, 1, 3);
  lost.fail_at(3);
  EXPECT_EQ(compressed(text, options, &lost).status.code, ErrorCode::device_error);
  EXPECT_TRUE(lost.is_idle());
  PartlyEncoder streams(1, 1, 3);
  EXPECT_EQ(compressed(text, options, &streams, 20000).status.code, ErrorCode::io_error);
  EXPECT_TRUE(streams.is_idle());
}

TEST(BatchCoder, FinishesEveryBatchThatWasBegunWithoutMemoryToo) {
  class OneRow final : public SegmentRows {
   public:
    [[nodiscard]] std::uint32_t row_count() const override { return 1; }
    [[nodiscard]] ColumnContent column(std::uint32_t) const override { return native_column("row", 1, 1, DType::u8); }
    [[nodiscard]] std::uint64_t source_bytes() const override { return 1; }
    [[nodiscard]] std::uint64_t source_bytes(std::uint32_t) const override { return 1; }
  };
  SegmentCoder coder(1, 1, EncoderChoice({}, {{"a", DType::u8}}));
  test::GreedyDevice<StreamEncoder, StreamWords> streams;
  {
    BatchCoder batches(coder, 1, streams);
    for (int i = 0; i < 200; ++i) {
      const std::vector<SegmentToCode> segments = {{std::make_shared<OneRow>(), Report::nothing}};
      EXPECT_NO_THROW((void)batches.code(segments)) << i;
      test::Allocations::fail_at(0);
    }
  }
  EXPECT_EQ(streams.at_work(), 0);
}

TEST(BatchCoder, SaysItsShareWhileOthersAreCoded) {
  const std::string text = mixed_text();
  TableOptions options;
  options.segment_rows = 500;
  options.threads = 3;
  PartlyEncoder streams(1, 1, 2);
  auto compressor = TableCompressor::create([](std::span<const std::byte>) { return Status{}; }, options, &streams);
  ASSERT_TRUE(compressor);
  std::uint64_t words_bytes = 0;
  for (std::size_t at = 0; at < text.size(); at += 3000) {
    ASSERT_TRUE(compressor->write(std::as_bytes(std::span(text)).subspan(at, std::min<std::size_t>(3000, text.size() - at))).ok());
    const EncoderShare share = compressor->encoder_share();
    EXPECT_GE(share.words_bytes, words_bytes);
    EXPECT_LE(share.beside_bytes, share.words_bytes);
    words_bytes = share.words_bytes;
  }
  ASSERT_TRUE(compressor->finish().ok());
  EXPECT_GT(compressor->encoder_share().words_bytes, words_bytes);
}

TEST(BatchCoder, TakesAnEmptyTable) {
  PartlyEncoder streams(1, 1, 2);
  const Outcome outcome = compressed("", {}, &streams);
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_TRUE(outcome.table == compressed("", {}, nullptr).table);
}

}  // namespace
}  // namespace floe::tables
