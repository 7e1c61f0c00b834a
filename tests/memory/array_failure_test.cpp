// Is a failed allocation, whichever it is, a clean out_of_memory, without a leak and with the next call
// working again?
#include <gtest/gtest.h>

#include <functional>

#include "floe/floe.h"
#include "tests/support/counted_new.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

/// Lets the first allocation of `work` fail, then the second ..., later some of them, until none is left.
/// `work` returns its status and owns nothing afterwards.
void fail_every_allocation(const std::function<ErrorCode()>& work) {
  ASSERT_EQ(work(), ErrorCode::ok);
  for (const bool from_then_on : {false, true}) {
    unsigned out_of_memory = 0;
    for (std::int64_t n = 1;; n += 1 + n / (sanitized ? 15 : 60)) {
      ASSERT_LT(n, 1'000'000);
      const std::int64_t count = Allocations::live_count();
      Allocations::fail_at(n, from_then_on);
      const ErrorCode code = work();
      const bool failed = Allocations::failures() > 0;
      Allocations::fail_at(0);
      ASSERT_EQ(Allocations::live_count(), count) << "leak after failure " << n;
      // A thread that cannot be had costs time only, so a failed allocation need not fail the call.
      ASSERT_TRUE(code == ErrorCode::ok || (failed && code == ErrorCode::out_of_memory))
          << name_of(code) << " at " << n;
      if (!failed) break;
      if (code == ErrorCode::out_of_memory) ++out_of_memory;
    }
    EXPECT_GT(out_of_memory, 0u);
  }
}

class AllocationFailure : public testing::Test {
 protected:
  /// Calls work(case, options, content, frame) for codecs, trees and goals, with one and several threads.
  void with_cases(
      const std::function<void(const ArrayCase&, const Options&, const Bytes&, const Bytes&)>& work) {
    for (const ArrayCase& c :
         {ArrayCase{DType::f32, "spratio"}, ArrayCase{DType::f64, "dpratio"}, ArrayCase{DType::f64, "gfc(3)"},
          ArrayCase{DType::f64, "decimal(2),delta,entropy,bitpack,raw"}, ArrayCase{DType::i32}}) {
      for (const std::uint32_t threads : {1u, 3u}) {
        SCOPED_TRACE(c.name() + ", threads: " + std::to_string(threads));
        Options options = c.options();
        options.threads = threads;
        const bool is_codec = c.tree.find(',') == std::string::npos && !c.tree.empty();
        options.segment_bytes = (is_codec ? 24 : 1) * 16384;
        options.prefix = view_of(prefix_);
        const Bytes content = c.sample(5, (is_codec ? 30 : 3) * 16384, 1);
        work(c, options, content, frame_of(content, c.dtype, options));
        if (HasFatalFailure()) return;
      }
    }
  }

  const Bytes prefix_ = Bytes(3000, 1);
};

TEST_F(AllocationFailure, Compress) {
  with_cases([](const ArrayCase& c, const Options& options, const Bytes& content, const Bytes&) {
    const Extent extent = Extent::linear(content.size() / c.word_bytes());
    fail_every_allocation([&] { return compress(view_of(content), c.dtype, extent, options).status().code; });
    Bytes large(2 * content.size()), small(content.size() + 10'000);
    fail_every_allocation([&] {
      return compress_into(room_of(large), view_of(content), c.dtype, extent, options).status().code;
    });
    fail_every_allocation([&] {
      return compress_into(room_of(small), view_of(content), c.dtype, extent, options).status().code;
    });
  });
}

TEST_F(AllocationFailure, Decompress) {
  with_cases([](const ArrayCase& c, const Options& options, const Bytes& content, const Bytes& frame) {
    Bytes out(content.size());
    const DecodeOptions decode_options{.threads = options.threads};
    fail_every_allocation([&] {
      const auto reader = Reader::open(view_of(frame));
      return reader ? reader->decompress(room_of(out), decode_options).code : reader.status().code;
    });
    EXPECT_TRUE(out == content);
    const Slice slice{100, content.size() / c.word_bytes() - 200};
    const auto slice_room = room_of(out).first(slice.count * c.word_bytes());
    const auto ignore = [](std::span<const std::byte>) { return Status{}; };
    fail_every_allocation([&] {
      const auto reader = Reader::open(reader_of(frame), frame.size());
      return reader ? reader->decompress_slice(slice_room, slice, decode_options).code : reader.status().code;
    });
    fail_every_allocation([&] {
      const auto reader = Reader::open(reader_of(frame), frame.size());
      return reader ? reader->restore(ignore, decode_options).code : reader.status().code;
    });
    fail_every_allocation([&] {
      const auto reader = Reader::open(view_of(frame));
      return reader ? reader->segment(0).status().code : reader.status().code;
    });
  });
}

TEST_F(AllocationFailure, DecompressToVector) {
  const std::vector<float> values(100'000, 2.5f);
  const auto frame = compress(std::span(values));
  ASSERT_TRUE(frame);
  fail_every_allocation([&] { return decompress<float>(*frame, {.threads = 2}).status().code; });
}

TEST_F(AllocationFailure, Trees) {
  fail_every_allocation([] { return check_tree("rle,bitpack,delta,entropy").code; });
  fail_every_allocation([] { return check_tree("rle,bitpack,delta,entropy", DType::i64).code; });
}

TEST_F(AllocationFailure, Streams) {
  const auto ignore = [](std::span<const std::byte>) { return Status{}; };
  with_cases([&](const ArrayCase& c, const Options& options, const Bytes& content, const Bytes& frame) {
    fail_every_allocation([&] {
      auto writer = Writer::create(ignore, c.dtype, {}, options);
      if (!writer) return writer.status().code;
      for (std::size_t at = 0; at < content.size(); at += 100'000) {
        const Status status =
            writer->write(view_of(content).subspan(at, std::min<std::size_t>(100'000, content.size() - at)));
        if (!status.ok()) return writer->finish().code;
      }
      return writer->finish().code;
    });
    fail_every_allocation([&] {
      try {
        StreamReader stream(ignore, {.threads = options.threads});
        for (std::size_t at = 0; at < frame.size(); at += 100'000) {
          const Status status =
              stream.write(view_of(frame).subspan(at, std::min<std::size_t>(100'000, frame.size() - at)));
          if (!status.ok()) return stream.finish().code;
        }
        return stream.finish().code;
      } catch (const std::bad_alloc&) {  // only the constructor throws
        return ErrorCode::out_of_memory;
      }
    });
  });
}

TEST_F(AllocationFailure, CApi) {
  const Bytes content = make_bytes(32, 5, 30'000, 1), frame = frame_of(content, DType::f32, {});
  const floe_extent extent{{7'500}, 1};
  const auto code = [](const floe_status& status) { return static_cast<ErrorCode>(status.code); };
  Bytes out(content.size() + 1000);
  fail_every_allocation([&] {
    size_t bytes = out.size();
    return code(
        floe_compress(out.data(), &bytes, content.data(), content.size(), FLOE_F32, &extent, nullptr));
  });
  fail_every_allocation(
      [&] { return code(floe_decompress(out.data(), content.size(), frame.data(), frame.size(), nullptr)); });
  fail_every_allocation([&] {
    floe_reader* reader = nullptr;
    floe_status status = floe_reader_open(&reader, frame.data(), frame.size());
    if (status.code == FLOE_OK) status = floe_reader_restore(reader, ignore_bytes, nullptr, nullptr);
    floe_reader_close(reader);
    return code(status);
  });
  fail_every_allocation([&] {
    floe_writer* writer = nullptr;
    floe_status status =
        floe_writer_create_array(&writer, ignore_bytes, nullptr, FLOE_F32, nullptr, 0, nullptr);
    if (status.code == FLOE_OK) status = floe_writer_write(writer, content.data(), content.size());
    if (status.code == FLOE_OK) status = floe_writer_finish(writer);
    floe_writer_close(writer);
    return code(status);
  });
  fail_every_allocation([&] {
    floe_stream_reader* stream = nullptr;
    floe_status status = floe_stream_reader_create(&stream, ignore_bytes, nullptr, nullptr);
    if (status.code == FLOE_OK) status = floe_stream_reader_write(stream, frame.data(), frame.size());
    if (status.code == FLOE_OK) status = floe_stream_reader_finish(stream);
    floe_stream_reader_close(stream);
    return code(status);
  });
}

}  // namespace
}  // namespace floe::test
