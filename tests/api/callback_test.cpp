// Whatever a callback of the user refuses, at whichever call, is what the call says; so it is with too little
// memory.
#include <gtest/gtest.h>

#include "floe/recover.hpp"
#include "tests/support/small_frames.hpp"

namespace floe::test {
namespace {

const Status refused{ErrorCode::io_error, 7, "the callback refused"};

/// Calls work(callback) with a callback that refuses its first call, its second, and so on, until it is not
/// called so often. All calls of work but the last one must end with what the callback said.
template <class Work>
std::size_t refuse_each_call(const Work& work) {
  for (std::size_t n = 0;; ++n) {
    std::size_t calls = 0;
    const Status status = work([&] { return calls++ == n ? refused : Status{}; });
    if (calls <= n) {
      EXPECT_TRUE(status.ok()) << status.message();
      return n;
    }
    EXPECT_EQ(status.code, refused.code) << "call " << n << ": " << status.message();
    EXPECT_EQ(calls, n + 1) << "it was called again";
    if (testing::Test::HasFailure()) return n;
  }
}

template <class Callback>
ReadAt reader_with(const Bytes& frame, const Callback& callback) {
  return [whole = reader_of(frame), callback](std::uint64_t offset, std::span<std::byte> to) {
    const Status status = callback();
    return status.ok() ? whole(offset, to) : status;
  };
}
template <class Callback>
Sink sink_with(const Callback& callback) {
  return [callback](std::span<const std::byte>) { return callback(); };
}

using Call = std::function<Status(const Reader&, const Sink&, const DecodeOptions&)>;

std::vector<std::size_t> columns_with_values(const Reader& reader) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < reader.info().columns.size(); ++i) {
    if (reader.info().columns[i].type != DType::text) columns.push_back(i);
  }
  return columns;
}

/// All that readers can be asked for.
std::vector<Call> calls_of_readers() {
  std::vector<Call> calls;
  calls.push_back([](const Reader& reader, const Sink& sink, const DecodeOptions& options) {
    return reader.restore(sink, options);
  });
  calls.push_back([](const Reader& reader, const Sink&, const DecodeOptions&) {
    for (std::uint64_t i = 0; i < reader.info().segment_count; ++i) {
      if (const auto segment = reader.segment(i); !segment) return segment.status();
    }
    return Status{};
  });
  calls.push_back([](const Reader& reader, const Sink&, const DecodeOptions& options) -> Status {
    if (reader.info().content != floe::Content::array) return {};
    const std::uint64_t count = reader.info().element_count, first = count / 3;
    Bytes out((count - first) * size_of(reader.info().dtype));
    return reader.decompress_slice(room_of(out), {first, count - first}, options);
  });
  calls.push_back([](const Reader& reader, const Sink&, const DecodeOptions& options) {
    for (std::size_t i = 0; i < reader.info().columns.size(); ++i) {
      const auto texts = reader.read_texts(i, {0, reader.info().element_count}, options);
      if (!texts) return texts.status();
    }
    return Status{};
  });
  calls.push_back([](const Reader& reader, const Sink&, const DecodeOptions& options) {
    const std::uint64_t rows = reader.info().element_count;
    for (const std::size_t i : columns_with_values(reader)) {
      Bytes out(rows * size_of(reader.info().columns[i].type)), valid(rows);
      const Status status = reader.read_values(i, {0, rows}, room_of(out), valid, options);
      if (!status.ok()) return status;
    }
    return Status{};
  });
  calls.push_back([](const Reader& reader, const Sink& sink, const DecodeOptions& options) -> Status {
    if (reader.info().columns.empty()) return {};
    std::vector<std::size_t> all(reader.info().columns.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return reader.print_rows(all, {0, reader.info().element_count}, sink, options);
  });
  calls.push_back([](const Reader& reader, const Sink& sink, const DecodeOptions& options) -> Status {
    const auto columns = columns_with_values(reader);
    if (columns.empty()) return {};
    const Status status = reader.write_records(columns, {0, reader.info().element_count}, sink, options);
    // A cell that has no value ends the records.
    return status.code == ErrorCode::invalid_argument ? Status{} : status;
  });
  return calls;
}

TEST(Callbacks, ReadsThatFail) {
  std::size_t failed = 0;
  for (const SmallFrame& small : small_frames_of_both_versions()) {
    SCOPED_TRACE(small.name);
    for (const Call& call : calls_of_readers()) {
      failed += refuse_each_call([&](const auto& callback) {
        const auto reader = Reader::open(reader_with(small.frame, callback), small.frame.size());
        return reader ? call(*reader, ignore, one_thread) : reader.status();
      });
      ASSERT_FALSE(HasFailure());
    }
  }
  RecordProperty("cases", std::to_string(failed));
  EXPECT_GT(failed, 5000u);
}

TEST(Callbacks, SinksThatRefuse) {
  for (const SmallFrame& small : small_frames_of_both_versions()) {
    SCOPED_TRACE(small.name);
    const Reader reader = Reader::open(view_of(small.frame)).value();
    const Recovery recovery = Recovery::open(view_of(small.frame)).value();
    for (const Call& call : calls_of_readers())
      refuse_each_call([&](const auto& callback) { return call(reader, sink_with(callback), one_thread); });
    refuse_each_call(
        [&](const auto& callback) { return recovery.restore(sink_with(callback), one_thread).status(); });
    refuse_each_call([&](const auto& callback) {
      StreamReader stream(sink_with(callback), one_thread);
      const Status status = stream.write(view_of(small.frame));
      return status.ok() ? stream.finish() : status;
    });
    ASSERT_FALSE(HasFailure());
  }
}

// What is lost is filled with zeros, or left out, piece by piece.
TEST(Callbacks, SinksThatRefuseWhatWasDamaged) {
  for (const SmallFrame& small : small_frames()) {
    SCOPED_TRACE(small.name);
    for (const std::size_t at :
         {small.frame.size() / 4, small.frame.size() / 2, small.frame.size() * 3 / 4}) {
      Bytes frame = small.frame;
      frame[at] ^= 16;
      for (const bool fill_lost : {true, false}) {
        RecoveryOptions options;
        options.fill_lost = fill_lost;
        const auto recovery = Recovery::open(view_of(frame), options);
        if (!recovery) continue;
        refuse_each_call([&](const auto& callback) {
          return recovery->restore(sink_with(callback), one_thread).status();
        });
      }
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST(Callbacks, SinksOfWritersThatRefuse) {
  Options options;
  options.threads = 1;
  options.segment_bytes = 16384;
  const Bytes content = make_bytes(32, 5, 40'000, 1);
  for (const char* tree : {"", "spspeed", "delta,bitpack"}) {
    options.tree = tree;
    refuse_each_call([&](const auto& callback) {
      Writer writer = Writer::create(sink_with(callback), DType::i32, {}, options).value();
      const Status status = writer.write(view_of(content));
      return status.ok() ? writer.finish() : status;
    });
  }
  const std::string text = some_csv(sanitized ? 80 : 200);
  TableOptions table;
  table.segment_rows = 30;
  for (const Goal goal : {Goal::speed, Goal::ratio}) {
    refuse_each_call([&](const auto& callback) {
      Writer writer = Writer::create(sink_with(callback), table, {.goal = goal, .threads = 1}).value();
      const Status status = writer.write(std::as_bytes(std::span(text)));
      return status.ok() ? writer.finish() : status;
    });
  }
}

/// Whatever makes a writer with four threads.
using MakeWriter = std::function<Writer(const Sink&)>;

/// Its sink refuses, or it is given up, while threads are at work; likewise readers of its frame.
void end_in_the_middle(const MakeWriter& make_writer, std::span<const std::byte> content) {
  constexpr std::size_t pieces = 8;
  const auto write = [&](Writer& writer, std::size_t count) {
    Status status;
    for (std::size_t i = 0; i < count && status.ok(); ++i) {
      const std::size_t begin = i * content.size() / pieces, end = (i + 1) * content.size() / pieces;
      status = writer.write(content.subspan(begin, end - begin));
    }
    return status;
  };
  Bytes frame;
  {
    Writer writer = make_writer(sink_to(frame));
    ASSERT_TRUE(write(writer, pieces).ok() && writer.finish().ok());
  }
  for (std::size_t count = 0; count <= pieces; ++count) {
    Writer writer = make_writer(ignore);
    ASSERT_TRUE(write(writer, count).ok());
  }
  refuse_each_call([&](const auto& callback) {
    Writer writer = make_writer(sink_with(callback));
    const Status status = write(writer, pieces);
    return status.ok() ? writer.finish() : status;
  });
  const DecodeOptions options{.threads = 4};
  const Reader reader = Reader::open(view_of(frame)).value();
  const Recovery recovery = Recovery::open(view_of(frame)).value();
  refuse_each_call([&](const auto& callback) { return reader.restore(sink_with(callback), options); });
  refuse_each_call(
      [&](const auto& callback) { return recovery.restore(sink_with(callback), options).status(); });
  refuse_each_call([&](const auto& callback) {
    StreamReader stream(sink_with(callback), options);
    const Status status = stream.write(view_of(frame));
    return status.ok() ? stream.finish() : status;
  });
  for (std::size_t part = 0; part < pieces; ++part) {
    StreamReader stream(ignore, options);
    ASSERT_TRUE(stream.write(view_of(frame).first(part * frame.size() / pieces)).ok());
  }
}

TEST(Callbacks, EndCallsOfSeveralThreads) {
  const Bytes content = make_bytes(32, 5, (sanitized ? 8 : 20) * 16384, 1);
  for (const char* tree : {"", "spspeed", "delta,bitpack"}) {
    SCOPED_TRACE(tree);
    Options options{.tree = tree, .threads = 4};
    options.segment_bytes = 4 * 16384;
    end_in_the_middle([&](const Sink& sink) { return Writer::create(sink, DType::i32, {}, options).value(); },
                      view_of(content));
  }
  const std::string text = some_csv(sanitized ? 400 : 1000);
  TableOptions table;
  table.segment_rows = 200;
  for (const Goal goal : {Goal::speed, Goal::balance})
    end_in_the_middle(
        [&](const Sink& sink) { return Writer::create(sink, table, {.goal = goal, .threads = 4}).value(); },
        std::as_bytes(std::span(text)));
}

// Each call has what it needs, or says that it has not; never anything else.
TEST(Callbacks, LimitsOfMemory) {
  std::size_t refusals = 0;
  for (const SmallFrame& small : small_frames_of_both_versions()) {
    SCOPED_TRACE(small.name);
    const Reader reader = Reader::open(view_of(small.frame)).value();
    for (unsigned bits = 0; bits < 24; bits += 3) {
      DecodeOptions options = one_thread;
      options.memory_limit_bytes = (std::uint64_t{1} << bits) - 1;
      for (const Call& call : calls_of_readers()) {
        const Status status = call(reader, ignore, options);
        ASSERT_TRUE(status.ok() || status.code == ErrorCode::out_of_memory) << status.message();
        refusals += !status.ok();
      }
      const Decoded stream = [&] {
        Decoded decoded;
        StreamReader reads(sink_to(decoded.content), options);
        decoded.status = reads.write(view_of(small.frame));
        if (decoded.status.ok()) decoded.status = reads.finish();
        return decoded;
      }();
      ASSERT_TRUE(stream.status.ok() || stream.status.code == ErrorCode::out_of_memory)
          << stream.status.message();
      ASSERT_TRUE(!stream.status.ok() || stream.content == small.content);
    }
  }
  EXPECT_GT(refusals, 1000u);
}

}  // namespace
}  // namespace floe::test
