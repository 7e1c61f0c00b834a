// Is a failed allocation while tables are compressed or read, whichever it is and in whatever thread, a clean
// out_of_memory, after which nothing is left and nobody works any more?
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "floe/floe.h"
#include "tests/support/counted_new.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

/// Lets the first allocation of `work` fail, then the second ..., later some of them, until none is left.
/// `work` owns nothing afterwards.
void fail_allocations(const std::function<Status()>& work) {
  ASSERT_TRUE(work().ok());
  for (const bool from_then_on : {false, true}) {
    unsigned failures = 0;
    bool has_failed = true;
    for (std::int64_t n = 1; has_failed; n += 1 + n / 30) {
      const std::int64_t count = Allocations::live_count();
      Allocations::fail_at(n, from_then_on);
      const Status status = work();
      has_failed = Allocations::failures() > 0;
      Allocations::fail_at(0);
      ASSERT_EQ(Allocations::live_count(), count) << "leak after failure " << n;
      // Who only looks ahead, or a thread that cannot be had, costs time and no more.
      ASSERT_TRUE(status.ok() || (has_failed && status.code == ErrorCode::out_of_memory))
          << status.message() << " at " << n;
      if (!status.ok()) ++failures;
    }
    EXPECT_GT(failures, 10U);
  }
}

TableOptions short_segments() {
  TableOptions table;
  table.segment_rows = 40;
  return table;
}

Options with_threads(std::uint32_t threads) {
  Options options;
  options.threads = threads;
  return options;
}

std::string some_text(int rows) {
  std::string text = "time,number,word\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(1500000000 + 60 * i) + ',' + std::to_string(i * i % 101) +
            (i % 3 == 0 ? ",open\n" : ",closed\n");
  return text;
}

Status compress_text(const std::string& text, const TableOptions& table, const Options& options) {
  auto writer = Writer::create(ignore, table, options);
  if (!writer) return writer.status();
  if (const Status status = writer->write(std::as_bytes(std::span(text))); !status.ok()) return status;
  return writer->finish();
}

TEST(MemoryFailure, WhileTextIsCompressed) {
  const std::string text = some_text(400);
  for (const std::uint32_t threads : {1U, 3U}) {
    const TableOptions table = short_segments();
    const Options options = with_threads(threads);
    fail_allocations([&] { return compress_text(text, table, options); });
  }
}

/// Takes nothing, and looks whether columns are still worked on when the caller has them back.
class Watch final : public Accelerator {
 public:
  [[nodiscard]] std::uint64_t batch_bytes() const override { return 1; }
  [[nodiscard]] std::size_t batches_at_once() const override { return 2; }
  Result<std::unique_ptr<Batch>> encode(std::span<StreamToEncode>, const Executor&) override {
    for (int i = 0; i < 20 && !are_returned; ++i) std::this_thread::yield();
    if (are_returned) are_used = true;
    return std::unique_ptr<Batch>();
  }
  Result<std::unique_ptr<Batch>> decode(std::span<StreamToDecode>, const Executor&) override {
    return std::unique_ptr<Batch>();
  }
  [[nodiscard]] std::uint64_t decoding_bytes(std::span<const StreamToDecode>) const override { return 0; }

  std::atomic<bool> are_returned = false, are_used = false;
};

TEST(MemoryFailure, WhileColumnsInMemoryAreCompressed) {
  std::vector<std::int64_t> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i * i % 101);
  const void* const columns[] = {values.data(), values.data()};
  for (const bool with_accelerator : {false, true}) {
    TableOptions table = short_segments();
    table.source = TableSource::columns;
    table.schema = {{"a", DType::i64}, {"b", DType::time}};
    bool are_used = false;
    fail_allocations([&]() -> Status {
      Watch watch;
      Options options = with_threads(3);
      options.accelerator = with_accelerator ? &watch : nullptr;
      Status status;
      {
        auto writer = Writer::create(ignore, table, options);
        if (!writer) return writer.status();
        status = writer->write_columns(columns, values.size());
        watch.are_returned = true;
        if (status.ok()) status = writer->finish();
      }
      if (watch.are_used) are_used = true;
      return status;
    });
    EXPECT_FALSE(are_used);
  }
}

TEST(MemoryFailure, WhileTablesAreRead) {
  const Bytes table = table_of(some_text(400), short_segments(), with_threads(1));
  for (const std::uint32_t threads : {1U, 3U}) {
    const DecodeOptions options{.threads = threads};
    fail_allocations([&]() -> Status {
      try {
        StreamReader stream(ignore, options);
        const Status status = stream.write(view_of(table));
        return status.ok() ? stream.finish() : status;
      } catch (const std::bad_alloc&) {  // only the constructor throws
        return {ErrorCode::out_of_memory, 0, "no memory"};
      }
    });
    const auto with_reader = [&](const auto& use) {
      fail_allocations([&]() -> Status {
        const auto reader = Reader::open(reader_of(table), table.size());
        return reader ? use(*reader) : reader.status();
      });
    };
    const std::size_t columns[] = {2, 0}, numbers[] = {1, 0};
    std::vector<std::int64_t> values(300);
    with_reader([&](const Reader& reader) { return reader.restore(ignore, options); });
    with_reader([&](const Reader& reader) { return reader.print_rows(columns, {30, 300}, ignore, options); });
    with_reader([&](const Reader& reader) {
      return reader.write_records(numbers, {30, 300}, ignore, options);
    });
    with_reader([&](const Reader& reader) {
      return reader.read_values(1, {30, 300}, std::as_writable_bytes(std::span(values)), {}, options);
    });
    with_reader([&](const Reader& reader) { return reader.read_texts(2, {30, 300}, options).status(); });
    with_reader([&](const Reader& reader) { return reader.segment(3).status(); });
  }
}

TEST(MemoryFailure, InTheCApi) {
  const std::string text = some_text(100);
  const Bytes table = table_of(text);
  const auto status_of = [](const floe_status& status) {
    return Status{static_cast<ErrorCode>(status.code), status.byte_offset, status.detail};
  };
  const floe_column columns[] = {
      {"time", FLOE_TIME, 0}, {"number", FLOE_I64, 0}, {"a long name of a column", FLOE_TEXT, 0}};
  const floe_given_tree trees[] = {{"a long name of a column", 0, "bitpack"}};
  floe_table_options table_options;
  floe_table_options_default(&table_options);
  table_options.columns = columns;
  table_options.column_count = 3;
  table_options.trees = trees;
  table_options.tree_count = 1;
  fail_allocations([&] {
    floe_writer* writer = nullptr;
    floe_status status = floe_writer_create_table(&writer, ignore_bytes, nullptr, &table_options, nullptr);
    if (status.code == FLOE_OK) status = floe_writer_write(writer, text.data(), text.size());
    if (status.code == FLOE_OK) status = floe_writer_finish(writer);
    floe_writer_close(writer);
    return status_of(status);
  });
  const uint32_t chosen[] = {1, 0};
  fail_allocations([&] {
    floe_reader* reader = nullptr;
    floe_status status = floe_reader_open(&reader, table.data(), table.size());
    if (status.code == FLOE_OK)
      status = floe_reader_print(reader, chosen, 2, 0, 100, ignore_bytes, nullptr, nullptr);
    if (status.code == FLOE_OK)
      status = floe_reader_records(reader, chosen, 2, 0, 100, ignore_bytes, nullptr, nullptr);
    floe_reader_close(reader);
    return status_of(status);
  });
}

}  // namespace
}  // namespace floe::test
