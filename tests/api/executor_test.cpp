// May callers run the library's work in threads of their own, however these behave?
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "floe/floe.h"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

void in_threads(std::uint32_t count, const Task& task) {
  std::vector<std::jthread> threads;
  for (std::uint32_t index = 0; index < count; ++index) threads.emplace_back([&task, index] { task(index); });
}
void one_after_the_other(std::uint32_t count, const Task& task) {
  for (std::uint32_t index = 0; index < count; ++index) task(index);
}
void backwards(std::uint32_t count, const Task& task) {
  for (std::uint32_t index = count; index-- > 0;) task(index);
}

const Executor executors[] = {in_threads, one_after_the_other, backwards};

class Executors : public testing::Test {
 protected:
  /// Calls check(case, options, content, frame) for codecs and trees, with content that several tasks share.
  template <class Check>
  void for_every_case(const Check& check) {
    for (const ArrayCase& c : sampled_cases()) {
      SCOPED_TRACE(c.name());
      const Bytes content = c.sample(5, 100 * 16384 + 16 * 77, 1);
      Options options = c.options();
      options.segment_bytes = 70 * 16384;
      check(c, options, content, frame_of(content, c.dtype, options));
    }
  }
};

TEST_F(Executors, NeverChangeTheBytes) {
  std::size_t number = 0;
  for_every_case([&](const ArrayCase& c, Options options, const Bytes& content, const Bytes& frame) {
    std::size_t turn = number++;
    for (const Executor& executor : executors) {
      for (const std::uint32_t threads : {2u, 5u}) {
        if (turn++ % 2 != 0) continue;  // the others with the next case
        options.threads = threads;
        options.executor = &executor;
        ASSERT_TRUE(frame_of(content, c.dtype, options) == frame);
        ASSERT_TRUE(decode_memory(frame, {.threads = threads, .executor = &executor}).content == content);
        ASSERT_TRUE(decode_stream(frame, [] { return std::size_t{100'000}; },
                                  {.threads = threads, .executor = &executor})
                        .content == content);
      }
    }
  });
}

TEST_F(Executors, NeverChangeTables) {
  TableOptions table;
  table.segment_rows = 500;
  const std::string text = some_csv(5000);
  Options options;
  options.threads = 1;
  const Bytes frame = table_of(text, table, options);
  const std::array<std::size_t, 2> columns = {3, 0};
  Bytes printed;
  ASSERT_TRUE(
      Reader::open(view_of(frame))->print_rows(columns, {100, 4000}, sink_to(printed), one_thread).ok());
  for (const Executor& executor : executors) {
    options.threads = 3;
    options.executor = &executor;
    const DecodeOptions decode_options{.threads = 3, .executor = &executor};
    ASSERT_TRUE(table_of(text, table, options) == frame);
    ASSERT_TRUE(decode_restored(frame, decode_options).content == bytes_of(text));
    Bytes again;
    ASSERT_TRUE(
        Reader::open(view_of(frame))->print_rows(columns, {100, 4000}, sink_to(again), decode_options).ok());
    ASSERT_TRUE(again == printed);
  }
}

TEST_F(Executors, FindTheSameDamage) {
  for_every_case([](const ArrayCase&, const Options&, const Bytes&, Bytes frame) {
    for (const std::size_t position : {frame.size() / 5, frame.size() / 3}) frame[position] ^= 1;
    const Status first = decode_memory(frame, one_thread).status;
    ASSERT_EQ(first.code, ErrorCode::corrupt_frame);
    for (const Executor& executor : executors) {
      const Status status = decode_memory(frame, {.threads = 5, .executor = &executor}).status;
      ASSERT_EQ(status.code, first.code);
      ASSERT_EQ(status.byte_offset, first.byte_offset);
    }
  });
}

TEST_F(Executors, AreNotAskedForLittleWork) {
  Options options;
  options.threads = 8;
  const Executor executor = [](std::uint32_t, const Task&) { FAIL(); };
  options.executor = &executor;
  const Bytes content(10'000), frame = frame_of(content, DType::f32, options);
  EXPECT_TRUE(decode_memory(frame, {.threads = 8, .executor = &executor}).content == content);
}

/// Of this process.
std::size_t thread_count() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(threads), end(threads)));
}

/// Runs tasks in the thread of the caller, and looks for others that work for it.
class LonelyExecutor {
 public:
  LonelyExecutor()
      : executor_([this](std::uint32_t count, const Task& task) {
          tasks_ += count;
          for (std::uint32_t index = 0; index < count; ++index) task(index);
          look();
        }) {}
  [[nodiscard]] const Executor* get() const { return &executor_; }
  void look() { others_ += thread_count() - threads_; }
  /// Of the tasks since the last call. No other thread may have been seen.
  std::size_t take_tasks() {
    look();
    EXPECT_EQ(others_, 0u);
    return std::exchange(tasks_, 0);
  }

 private:
  std::size_t threads_ = thread_count(), tasks_ = 0, others_ = 0;
  Executor executor_;
};

TEST_F(Executors, ReplaceAllThreadsForArrays) {
  LonelyExecutor executor;
  for (const ArrayCase& c : sampled_cases()) {
    SCOPED_TRACE(c.name());
    const Bytes content = c.sample(5, 300 * 16384, 1);
    Options options = c.options();
    options.threads = 4;
    options.executor = executor.get();
    options.on_segment = [&](const PlannedSegment&) { executor.look(); };
    Bytes frame;
    auto writer = Writer::create(
        [&](std::span<const std::byte> part) {
          executor.look();
          append(frame, part);
          return Status{};
        },
        c.dtype, {}, options);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->write(view_of(content)).ok());
    ASSERT_TRUE(writer->finish().ok());
    EXPECT_GE(executor.take_tasks(), 2u) << "compression";
    const DecodeOptions decode_options{.threads = 4, .executor = executor.get()};
    ASSERT_TRUE(decode_memory(frame, decode_options).content == content);
    EXPECT_GE(executor.take_tasks(), 2u) << "decompression";
    ASSERT_TRUE(decode_stream(frame, decode_options).content == content);
    EXPECT_GE(executor.take_tasks(), 2u) << "streaming";
  }
}

TEST_F(Executors, ReplaceAllThreadsForTables) {
  LonelyExecutor executor;
  TableOptions table;
  const std::uint32_t rows = sanitized ? 600 : 10'000;
  table.segment_rows = rows / 4;
  const std::string text = some_csv(rows);
  for (const Goal goal : {Goal::speed, Goal::balance, Goal::ratio, Goal::max}) {
    Options options;
    options.goal = goal;
    options.threads = 4;
    options.executor = executor.get();
    options.on_segment = [&](const PlannedSegment&) { executor.look(); };
    const Bytes frame = table_of(text, table, options);
    EXPECT_GE(executor.take_tasks(), 8u) << "compression";
    const DecodeOptions decode_options{.threads = 4, .executor = executor.get()};
    ASSERT_TRUE(decode_restored(frame, decode_options).content == bytes_of(text));
    EXPECT_GE(executor.take_tasks(), 8u) << "decompression";
    ASSERT_TRUE(decode_stream(frame, decode_options).content == bytes_of(text));
    EXPECT_GE(executor.take_tasks(), 8u) << "streaming";
    const std::array<std::size_t, 3> columns = {3, 0, 2};
    Bytes printed;
    ASSERT_TRUE(Reader::open(view_of(frame))
                    ->print_rows(columns, {rows / 12, rows * 9 / 10}, sink_to(printed), decode_options)
                    .ok());
    EXPECT_GE(executor.take_tasks(), 8u) << "rows";
  }
}

struct CountingExecutor {
  std::atomic<unsigned> calls{0};

  static void run(void* user, std::uint32_t count, floe_task task, void* context) {
    ++static_cast<CountingExecutor*>(user)->calls;
    in_threads(count, [&](std::uint32_t index) { task(context, index); });
  }
};

TEST_F(Executors, FromC) {
  for_every_case([](const ArrayCase& c, const Options& options, const Bytes& content, const Bytes& frame) {
    CountingExecutor executor;
    floe_options c_options;
    floe_options_default(&c_options);
    c_options.tree = c.tree.empty() ? nullptr : c.tree.c_str();
    c_options.goal = static_cast<std::uint32_t>(options.goal);
    c_options.profile = static_cast<std::uint32_t>(options.profile);
    c_options.segment_bytes = options.segment_bytes;
    c_options.threads = 3;
    c_options.executor = CountingExecutor::run;
    c_options.executor_user = &executor;
    const floe_extent extent{{content.size() / c.word_bytes()}, 1};
    Bytes out(frame.size() + (1 << 20));
    std::size_t out_bytes = out.size();
    const auto dtype = static_cast<floe_dtype>(c.dtype);
    ASSERT_EQ(
        floe_compress(out.data(), &out_bytes, content.data(), content.size(), dtype, &extent, &c_options)
            .code,
        FLOE_OK);
    out.resize(out_bytes);
    ASSERT_TRUE(out == frame);
    ASSERT_GE(executor.calls, 1u);

    floe_decode_options decode_options;
    floe_decode_options_default(&decode_options);
    decode_options.threads = 3;
    decode_options.executor = CountingExecutor::run;
    decode_options.executor_user = &executor;
    executor.calls = 0;
    Bytes decoded(content.size());
    ASSERT_EQ(
        floe_decompress(decoded.data(), decoded.size(), frame.data(), frame.size(), &decode_options).code,
        FLOE_OK);
    ASSERT_TRUE(decoded == content);
    ASSERT_GE(executor.calls, 1u);
  });
}

}  // namespace
}  // namespace floe::test
