// Is a table the same whether its segments were looked at before their turn or not?
#include "pipeline/tables/segment_coder.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>

#include "floe/series.hpp"

namespace floe::tables {
namespace {

/// Columns that keep their kind, change it in the table and within segments, and are written in different ways.
std::string random_text(std::uint32_t seed, int rows) {
  std::mt19937 random(seed);
  std::string text = "time,regime,jump,word,mixed\n";
  for (int i = 0; i < rows; ++i) {
    const int noise = static_cast<int>(random() % 100000);
    text += std::to_string(1500000000 + i * 60) + ',' + std::to_string(i / 700 % 2 == 0 ? i / 50 : noise) + '.' + std::to_string(i % 10) +
            ',' + std::to_string(i % 1100 < 350 ? 7 : noise) + (noise % 3 == 0 ? ",open," : ",closed,") +
            (i / 500 % 3 == 0   ? "row " + std::to_string(noise)
             : i / 500 % 3 == 1 ? std::to_string(noise)
                                : "2013-04-03 10:00:0" + std::to_string(i % 10)) +
            '\n';
    if (random() % 500 == 0) text += "a line that is no row\n";
  }
  return text;
}

struct Table {
  std::vector<std::shared_ptr<const SegmentRows>> segments;
  Schema schema;
};

Table table_of(const std::string& text, const TableOptions& options) {
  const std::unique_ptr<RowSource> source = make_csv_source(options);
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  Table table;
  const auto take_segments = [&](bool is_last) {
    for (;;) {
      Result<std::unique_ptr<SegmentRows>> rows = source->next_segment(is_last);
      ASSERT_TRUE(rows);
      if (!*rows) return;
      table.segments.push_back(std::move(*rows));
    }
  };
  while (!bytes.empty()) {
    EXPECT_TRUE(source->take(bytes).ok());
    take_segments(false);
  }
  take_segments(true);
  table.schema = source->header().schema;
  return table;
}

std::vector<TableOptions> all_options() {
  std::vector<TableOptions> all(4);
  for (TableOptions& options : all) options.segment_rows = 400;
  all[1].goal = Goal::speed;
  all[2].planner = TreePlanner::edge_statistics;
  all[3].trees = {{"", 0, "bitpack"}, {"time", 0, "delta,bitpack"}};
  return all;
}

/// Codes the segments in order. `prepare(coder, i)`, called when segment i - 1 is coded, returns what was looked at of segment i.
template <class Prepare>
std::vector<std::vector<std::uint8_t>> code(const Table& table, const TableOptions& options, std::uint32_t threads,
                                            const Prepare& prepare) {
  SegmentCoder coder(static_cast<std::uint32_t>(table.schema.size()), threads, EncoderChoice(options, table.schema));
  std::vector<std::vector<std::uint8_t>> bytes;
  for (std::size_t i = 0; i < table.segments.size(); ++i) {
    const std::shared_ptr<NextSegment> next = prepare(coder, i);
    coder.announce();
    CodedSegment coded = coder.code(*table.segments[i], Report::nothing, next.get());
    std::move(coded.payloads.begin(), coded.payloads.end(), std::back_inserter(bytes));
  }
  return bytes;
}

const auto nothing = [](SegmentCoder&, std::size_t) { return std::shared_ptr<NextSegment>(); };

TEST(SegmentCoder, MakesTheSameBytesWhicheverColumnsWereLookedAt) {
  for (const TableOptions& options : all_options()) {
    const Table table = table_of(random_text(1, 4000), options);
    ASSERT_GE(table.segments.size(), 10U);
    const auto alone = code(table, options, 1, nothing);
    for (const std::uint32_t every : {1U, 2U, 3U}) {
      std::mt19937 random(every);
      EXPECT_TRUE(code(table, options, 2, [&](SegmentCoder& coder, std::size_t i) {
                    auto next = std::make_shared<NextSegment>(table.segments[i], coder.column_count());
                    for (std::uint32_t column = 0; column < coder.column_count(); ++column) {
                      if (random() % every == 0) coder.look_at_column(*next, column);
                    }
                    return next;
                  }) == alone);
    }
  }
}

TEST(SegmentCoder, MakesTheSameBytesWhileOthersLook) {
  for (const TableOptions& options : all_options()) {
    const Table table = table_of(random_text(2, 4000), options);
    const auto alone = code(table, options, 1, nothing);
    for (const std::uint32_t threads : {2U, 3U, 8U}) {
      EXPECT_TRUE(code(table, options, threads, [&](SegmentCoder& coder, std::size_t i) { return coder.look_ahead(table.segments[i]); }) ==
                  alone);
    }
  }
}

TEST(SegmentCoder, LooksAtASegmentWhileTheOneBeforeItIsCoded) {
  for (const TableOptions& options : all_options()) {
    const Table table = table_of(random_text(3, 4000), options);
    SegmentCoder coder(static_cast<std::uint32_t>(table.schema.size()), 7, EncoderChoice(options, table.schema));
    std::vector<std::vector<std::uint8_t>> bytes;
    std::shared_ptr<NextSegment> at_hand;
    for (std::size_t i = 0; i < table.segments.size(); ++i) {
      std::shared_ptr<NextSegment> next;
      coder.announce();
      CodedSegment coded;
      {
        const std::jthread coding([&] { coded = coder.code(*table.segments[i], Report::nothing, at_hand.get()); });
        if (i + 1 < table.segments.size()) next = coder.look_ahead(table.segments[i + 1]);
      }
      at_hand = std::move(next);
      std::move(coded.payloads.begin(), coded.payloads.end(), std::back_inserter(bytes));
    }
    EXPECT_TRUE(bytes == code(table, options, 1, nothing));
  }
}

TEST(SegmentCoder, LooksAheadWithSeveralThreadsOnly) {
  const TableOptions options;
  const Table table = table_of("a\n1\n2\n", options);
  SegmentCoder coder(1, 1, EncoderChoice(options, table.schema));
  EXPECT_EQ(coder.look_ahead(table.segments[0]), nullptr);
}

/// Rows in memory that goes when the caller is told to forget them.
class ShortLivedRows final : public SegmentRows {
 public:
  [[nodiscard]] std::uint32_t row_count() const override { return 1000; }
  [[nodiscard]] ColumnContent column(std::uint32_t) const override {
    const std::vector<std::int64_t>& values = *values_;
    return native_column(values.data(), 1000, 8, DType::i64);
  }
  [[nodiscard]] std::uint64_t source_bytes() const override { return 8000; }
  [[nodiscard]] std::uint64_t source_bytes(std::uint32_t) const override { return 8000; }
  void end() { values_.reset(); }

 private:
  std::unique_ptr<std::vector<std::int64_t>> values_ = std::make_unique<std::vector<std::int64_t>>(1000);
};

TEST(SegmentCoder, ReadsNoRowsThatNobodyWantsAnyMore) {
  const TableOptions options;
  SegmentCoder coder(3, 4, EncoderChoice(options, {{"a", DType::i64, 0}, {"b", DType::i64, 0}, {"c", DType::i64, 0}}));
  for (int i = 0; i < 100; ++i) {
    const auto rows = std::make_shared<ShortLivedRows>();
    (void)coder.look_ahead(rows);
    rows->end();
  }
}

}  // namespace
}  // namespace floe::tables
