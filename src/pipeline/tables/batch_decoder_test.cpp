// Does a table come back through a StreamDecoder as it does without one, whatever the decoder leaves to the CPU?
#include "pipeline/tables/batch_decoder.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "floe/series.hpp"
#include "pipeline/column_codec.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/greedy_device.hpp"
#include "tests/support/partly_device.hpp"

namespace floe::tables {
namespace {

class PartlyDecoder final : public test::PartlyDevice<StreamDecoder, EncodedStream> {
 public:
  using PartlyDevice::PartlyDevice;

 private:
  void take(EncodedStream& stream, bool is_chosen) override {
    EXPECT_FALSE(stream.is_decoded);
    if (!is_chosen) return;
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(stream.bytes.data()), stream.bytes.size());
    stream.is_decoded = series::decode_column(bytes, type_of(stream), stream.count, stream.words).ok();
  }
};

std::string generated_text() {
  std::string text;
  EXPECT_TRUE(generate_table(5000, [&text](std::span<const std::byte> bytes) {
                text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                return Status{};
              }).ok());
  return text.insert(text.size() / 2, "a line that is no row\n");
}

Sink append_to(std::vector<std::byte>& table) {
  return [&table](std::span<const std::byte> bytes) {
    table.insert(table.end(), bytes.begin(), bytes.end());
    return Status{};
  };
}

std::vector<std::byte> compressed(const std::string& text) {
  std::vector<std::byte> table;
  TableOptions options;
  options.segment_rows = 700;
  auto compressor = TableCompressor::create(append_to(table), options);
  EXPECT_TRUE(compressor->write(std::as_bytes(std::span(text))).ok());
  EXPECT_TRUE(compressor->finish().ok());
  return table;
}

struct Outcome {
  std::string text;
  Status status;
};

Outcome decompressed(const std::vector<std::byte>& table, StreamDecoder* streams, std::size_t most_bytes = ~std::size_t{0}) {
  Outcome outcome;
  TableDecompressor decompressor(
      [&](std::span<const std::byte> bytes) -> Status {
        outcome.text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return outcome.text.size() > most_bytes ? Status{ErrorCode::io_error, 0, "full"} : Status{};
      },
      {}, streams);
  outcome.status = decompressor.write(table);
  if (outcome.status.ok()) outcome.status = decompressor.finish();
  return outcome;
}

TEST(BatchDecoder, GivesTheSameText) {
  const std::string text = generated_text();
  const std::vector<std::byte> table = compressed(text);
  for (const std::size_t every : {1, 2, 1000}) {
    for (const std::uint64_t batch_bytes : {1, 60000, 1000000000}) {
      PartlyDecoder streams(every, batch_bytes, every + 1);
      const Outcome outcome = decompressed(table, &streams);
      EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
      EXPECT_EQ(outcome.text, text);
      EXPECT_TRUE(streams.is_idle());
      EXPECT_EQ(streams.batches() == 1, batch_bytes == 1000000000);
    }
  }
}

TEST(BatchDecoder, SaysOfDamageWhatTheCpuSays) {
  std::vector<std::byte> table = compressed(generated_text());
  for (std::size_t place = 100; place < table.size(); place += table.size() / 40) {
    table[place] ^= std::byte{1};
    PartlyDecoder streams(2, 30000, 2);
    const Outcome plain = decompressed(table, nullptr), beside = decompressed(table, &streams);
    EXPECT_FALSE(plain.status.ok());
    EXPECT_EQ(beside.status.code, plain.status.code) << place;
    EXPECT_EQ(beside.status.byte_offset, plain.status.byte_offset) << place;
    EXPECT_EQ(beside.text, plain.text) << place;
    EXPECT_TRUE(streams.is_idle());
    table[place] ^= std::byte{1};
  }
  table.resize(table.size() / 2);
  PartlyDecoder streams(2, 30000, 2);
  const Outcome plain = decompressed(table, nullptr), beside = decompressed(table, &streams);
  EXPECT_EQ(beside.status.code, ErrorCode::truncated_frame);
  EXPECT_EQ(beside.text, plain.text);
}

TEST(BatchDecoder, EndsWithTheErrorsOfOthers) {
  const std::vector<std::byte> table = compressed(generated_text());
  PartlyDecoder lost(1, 1, 2);
  lost.fail_at(3);
  EXPECT_EQ(decompressed(table, &lost).status.code, ErrorCode::device_error);
  EXPECT_TRUE(lost.is_idle());
  PartlyDecoder streams(1, 1, 2);
  EXPECT_EQ(decompressed(table, &streams, 50000).status.code, ErrorCode::io_error);
  EXPECT_TRUE(streams.is_idle());
}

TEST(BatchDecoder, FinishesEveryBatchThatWasBegunWithoutMemoryToo) {
  std::vector<std::byte> table;
  TableOptions options;
  options.source = TableSource::columns;
  options.schema = {{"a", DType::u8}};
  options.segment_rows = 1;
  auto compressor = TableCompressor::create(append_to(table), options);
  const std::vector<std::uint8_t> values(200);
  const void* const columns[] = {values.data()};
  ASSERT_TRUE(compressor->write_columns(columns, values.size()).ok());
  ASSERT_TRUE(compressor->finish().ok());
  test::GreedyDevice<StreamDecoder, EncodedStream> streams;
  {
    TableDecompressor decompressor([](std::span<const std::byte>) { return Status{}; }, {1}, &streams);
    for (const std::byte& byte : table) {  // so that every batch is begun by the last byte of a call
      ASSERT_TRUE(decompressor.write({&byte, 1}).ok());
      test::Allocations::fail_at(0);
    }
    EXPECT_TRUE(decompressor.finish().ok());
  }
  EXPECT_EQ(streams.at_work(), 0);
}

}  // namespace
}  // namespace floe::tables
