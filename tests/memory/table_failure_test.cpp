// Is a failed allocation while tables are compressed or read, whichever it is and in whatever thread, a clean
// out_of_memory, after which nothing is left and nobody works any more?
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "floe/series.hpp"
#include "tests/support/counted_new.hpp"

namespace floe::tables {
namespace {

using test::Allocations;

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

Status ignore(std::span<const std::byte>) { return {}; }

TableOptions short_segments(std::uint32_t threads) {
  TableOptions options;
  options.segment_rows = 40;
  options.threads = threads;
  return options;
}

std::string text_of(int rows) {
  std::string text = "time,number,word\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(1500000000 + 60 * i) + ',' + std::to_string(i * i % 101) +
            (i % 3 == 0 ? ",open\n" : ",closed\n");
  return text;
}

/// `sink` needs no memory.
Status compress(const std::string& text, const TableOptions& options, const Sink& sink) {
  auto compressor = TableCompressor::create(sink, options);
  if (!compressor) return compressor.status();
  if (const Status status = compressor->write(std::as_bytes(std::span(text))); !status.ok()) return status;
  return compressor->finish();
}

TEST(MemoryFailure, WhileTextIsCompressed) {
  const std::string text = text_of(400);
  for (const std::uint32_t threads : {1U, 3U}) {
    fail_allocations([&, options = short_segments(threads)] { return compress(text, options, ignore); });
  }
}

/// Leaves all to the CPU, and looks whether columns are still worked on when the caller has them back.
class Watch final : public StreamEncoder {
 public:
  [[nodiscard]] std::uint64_t batch_bytes() const override { return 1; }
  [[nodiscard]] std::size_t batches_at_once() const override { return 2; }
  Status begin(std::span<StreamWords>) override {
    for (int i = 0; i < 20 && !are_returned; ++i) std::this_thread::yield();
    if (are_returned) are_used = true;
    return {};
  }
  Status finish() override { return {}; }

  std::atomic<bool> are_returned = false, are_used = false;
};

TEST(MemoryFailure, WhileColumnsInMemoryAreCompressed) {
  std::vector<std::int64_t> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i * i % 101);
  const void* const columns[] = {values.data(), values.data()};
  for (const bool with_encoder : {false, true}) {
    TableOptions options = short_segments(3);
    options.source = TableSource::columns;
    options.schema = {{"a", DType::i64}, {"b", DType::time}};
    bool are_used = false;
    const auto write = [&](Watch& watch) -> Status {
      try {
        auto compressor = TableCompressor::create(ignore, options, with_encoder ? &watch : nullptr);
        if (!compressor) return compressor.status();
        const Status status = compressor->write_columns(columns, values.size());
        watch.are_returned = true;
        return status.ok() ? compressor->finish() : status;
      } catch (const std::bad_alloc&) {  // only the copy of the options throws
        return {ErrorCode::out_of_memory, 0, "no memory"};
      }
    };
    fail_allocations([&] {
      Watch watch;
      const Status status = write(watch);
      if (watch.are_used) are_used = true;
      return status;
    });
    EXPECT_FALSE(are_used);
  }
}

TEST(MemoryFailure, WhileTablesAreRead) {
  std::vector<std::byte> table;
  ASSERT_TRUE(compress(text_of(400), short_segments(1), [&table](std::span<const std::byte> bytes) {
                table.insert(table.end(), bytes.begin(), bytes.end());
                return Status{};
              }).ok());
  for (const std::uint32_t threads : {1U, 3U}) {
    const DecodeOptions options{threads};
    fail_allocations([&]() -> Status {
      try {
        TableDecompressor decompressor(ignore, options);
        const Status status = decompressor.write(table);
        return status.ok() ? decompressor.finish() : status;
      } catch (const std::bad_alloc&) {  // only the constructor throws
        return {ErrorCode::out_of_memory, 0, "no memory"};
      }
    });
    fail_allocations([&]() -> Status {
      const ReadAt read_at = [&table](std::uint64_t offset, std::span<std::byte> bytes) {
        std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
        return Status{};
      };
      auto reader = TableReader::open(read_at, table.size());
      const std::size_t columns[] = {2, 0};
      return reader ? reader->print_rows(columns, {30, 300}, ignore, options) : reader.status();
    });
  }
}

}  // namespace
}  // namespace floe::tables
