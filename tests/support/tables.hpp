// Tables and their frames: what tests of the library share.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "floe/floe.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }
inline std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

/// Of which no compact frame is made, however small the table is.
inline TableOptions ordinary_table() {
  TableOptions table;
  table.segment_rows = (1U << 20) - 1;
  return table;
}

/// The frame of CSV text or of records; empty, with a failure of the test, if it cannot be had.
inline Bytes table_of(std::string_view content, const TableOptions& table = ordinary_table(),
                      const Options& options = {}, std::size_t piece_bytes = std::size_t{1} << 20) {
  Bytes frame;
  auto writer = Writer::create(sink_to(frame), table, options);
  EXPECT_TRUE(writer) << writer.status().message();
  if (!writer) return {};
  const auto bytes = std::as_bytes(std::span(content));
  for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
    const Status status = writer->write(bytes.subspan(at, std::min(piece_bytes, bytes.size() - at)));
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return {};
  }
  const Status status = writer->finish();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(writer->info().frame_bytes, frame.size());
  return status.ok() ? frame : Bytes{};
}

/// 2 of compact frames.
inline unsigned version_of(const Bytes& frame) { return frame[4]; }

/// The frame of columns in memory, `rows` of each.
inline Bytes columns_frame(std::span<const void* const> values, std::uint64_t rows, const Schema& schema,
                           TableOptions table = {}, const Options& options = {}) {
  table.source = TableSource::columns;
  table.schema = schema;
  Bytes frame;
  auto writer = Writer::create(sink_to(frame), table, options);
  EXPECT_TRUE(writer) << writer.status().message();
  if (!writer) return {};
  Status status = writer->write_columns(values, rows);
  if (status.ok()) status = writer->finish();
  EXPECT_TRUE(status.ok()) << status.message();
  return status.ok() ? frame : Bytes{};
}

/// CSV text with numbers of all kinds, times, words and texts, and some malformed rows.
inline std::string some_csv(std::size_t rows, std::uint64_t seed = 1) {
  Random random(seed);
  std::string text = "time,count,price,rate,state,note\n";
  std::uint64_t price = 10000, seconds = 1500000000;
  for (std::size_t i = 0; i < rows; ++i) {
    seconds += random.below(3);
    price += random.below(21) - 10;
    text += std::to_string(seconds) + ',' + std::to_string(i % 100) + ',' + std::to_string(price / 100) +
            '.' + std::to_string(10 + price % 90) + ',';
    text += random.below(20) == 0 ? "NA," : std::to_string(random.below(1000)) + "e-5,";
    text += (i / 50 % 2 == 0 ? "open," : "closed,") + std::string(random.below(5), 'x') + "\n";
    if (random.below(200) == 0) text += "no row\n";
  }
  return text;
}

/// A time in nanoseconds, the same in milliseconds, and two prices that are near each other, sometimes
/// absent.
inline std::string csv_of_related_columns(std::size_t rows, std::uint64_t seed = 1) {
  Random random(seed);
  std::string text = "ns,ms,bid,ask\n";
  std::uint64_t nanoseconds = 1500000000123456789, price = 1000000;
  for (std::size_t i = 0; i < rows; ++i) {
    nanoseconds += random.below(1000000000);
    price += random.below(1001) - 500;
    const std::uint64_t ask = price + 1 + random.below(3);
    text += std::to_string(nanoseconds) + ',' + std::to_string(nanoseconds / 1000000) + ',' +
            std::to_string(price / 10) + '.' + std::to_string(price % 10) + ',';
    text +=
        random.below(100) == 0 ? "NA\n" : std::to_string(ask / 10) + '.' + std::to_string(ask % 10) + '\n';
  }
  return text;
}

}  // namespace floe::test
