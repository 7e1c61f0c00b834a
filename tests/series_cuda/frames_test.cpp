// Frames whose segments have trees, made and read by emulated blocks from the header to the footer: they are
// those of the CPU.
#include <gtest/gtest.h>

#include "core/type.hpp"
#include "gpu/frames/frames_test.hpp"
#include "gpu/frames/read_segments.hpp"
#include "gpu/frames/write_frames.hpp"
#include "tests/series_cuda/emulated_decoder.hpp"
#include "tests/series_cuda/emulated_encoder.hpp"
#include "tests/series_cuda/trees.hpp"

namespace floe::test {
namespace {

using gpu::BatchItem;
using gpu::ItemResult;

constexpr std::uint64_t segment_bytes = core::chunk_bytes, all = ~std::uint64_t{0};

/// Arrays that are compressed with one tree, in rooms of `spare` bytes more than their frames have.
class CompressedBatch {
 public:
  explicit CompressedBatch(const std::vector<FrameCase>& cases, std::int64_t spare = 0, bool parks = false) {
    const FrameCase& first = cases.front();
    const auto plan = gpu::plan_frames(first.dtype, first.extent, first.options()).value();
    std::uint64_t units = 0;
    for (const FrameCase& c : cases) {
      frames.push_back(c.frame());
      const std::uint64_t room = frames.back().size() + static_cast<std::uint64_t>(spare);
      ins_.push_back(std::make_unique<PaddedBytes>(std::span<const std::uint8_t>(c.content)));
      outs.push_back(std::make_unique<PaddedBytes>(room));
      items_.push_back({ins_.back()->data(), c.content.size(), outs.back()->data(), room});
      units += c.content.size() / plan.segment_bytes + 1;
    }
    std::vector<gpu::CompressItem> records(cases.size());
    std::vector<SegmentEntry> streams(units);
    std::vector<gpu::StreamFacts> facts(units);
    std::vector<ItemResult> encoded(cases.size());
    gpu::Counters counters;
    results.resize(cases.size());
    gpu::CompressJob job;
    gpu::describe_frames(job, plan, first.extent);
    job.item_count = cases.size();
    job.batch = items_.data();
    job.results = results.data();
    job.items = records.data();
    job.counters = &counters;
    job.streams = streams.data();
    job.facts = facts.data();
    job.encoded = encoded.data();
    job.chunk_capacity = ~0U;
    job.unit_capacity = static_cast<std::uint32_t>(units);
    run_frame_block([&](auto& block) { gpu::set_up(block, job); });
    encode_items_emulated(job, *plan.tree, static_cast<std::uint32_t>(plan.segment_bytes / plan.word_bytes()),
                          parks);
    run_frame_block([&](auto& block) {
      load_crc_tables(block);
      block.sync();
      gpu::finish_streams_of(block, job, 0, 1);
    });
  }

  std::vector<Bytes> frames;  ///< Of the CPU.
  std::vector<std::unique_ptr<PaddedBytes>> outs;
  std::vector<ItemResult> results;

 private:
  using SegmentEntry = gpu::SegmentEntry;
  std::vector<std::unique_ptr<PaddedBytes>> ins_;
  std::vector<BatchItem> items_;
};

void expect_frames(const std::vector<FrameCase>& cases, bool parks = false) {
  const CompressedBatch batch(cases, 0, parks);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Bytes& frame = batch.frames[i];
    EXPECT_EQ(batch.results[i].code, 0U) << cases[i].name();
    EXPECT_EQ(batch.results[i].bytes, frame.size()) << cases[i].name();
    const auto [ours, theirs] = std::mismatch(frame.begin(), frame.end(), batch.outs[i]->data());
    EXPECT_TRUE(ours == frame.end()) << cases[i].name() << ", byte " << ours - frame.begin();
  }
}

/// Frames that are decompressed, or a slice of each of them.
class DecompressedBatch {
 public:
  DecompressedBatch(DType dtype, const std::vector<Bytes>& frames, std::uint64_t room, Slice slice = {0, all},
                    std::uint64_t max_segment = segment_bytes) {
    std::vector<std::unique_ptr<PaddedBytes>> ins;
    std::vector<BatchItem> items;
    for (const Bytes& frame : frames) {
      ins.push_back(std::make_unique<PaddedBytes>(std::span<const std::uint8_t>(frame)));
      outs.push_back(std::make_unique<PaddedBytes>(room));
      items.push_back({ins.back()->data(), frame.size(), outs.back()->data(), room});
    }
    results.resize(frames.size());
    std::vector<gpu::DecodeItem> records(frames.size());
    std::vector<gpu::StreamTask> streams(frames.size() * (room / max_segment + 2));
    gpu::Counters counters;
    gpu::DecodeJob job;
    job.dtype = dtype;
    job.slice = slice;
    job.item_count = frames.size();
    job.batch = items.data();
    job.results = results.data();
    job.items = records.data();
    job.counters = &counters;
    job.streams = streams.data();
    job.chunk_capacity = ~0U;
    job.unit_capacity = static_cast<std::uint32_t>(streams.size());
    job.max_stream_content = max_segment;
    run_frame_block([&](auto& block) {
      load_crc_tables(block);
      block.sync();
      for (std::uint64_t i = 0; i < job.item_count; ++i) {
        read_item(block, job, i);
        block.sync();
      }
      number_items(block, job);
      block.sync();
      for (std::uint32_t unit = 0; unit < counters.unit_count; ++unit) {
        read_stream(block, job, unit);
        block.sync();
      }
    });
    decode_streams_emulated(job);
  }

  std::vector<std::unique_ptr<PaddedBytes>> outs;
  std::vector<ItemResult> results;
};

constexpr DType all_types[] = {DType::f64, DType::f32, DType::f16,    DType::bf16, DType::i8,
                               DType::u8,  DType::i16, DType::u16,    DType::i32,  DType::u32,
                               DType::i64, DType::u64, DType::boolean};

const char* usual_tree(DType dtype) { return is_float(dtype) ? "sortable,delta,bitpack" : "delta,bitpack"; }

TEST(TreeFramesOfTheGpu, AreThoseOfTheCpuForAllTypes) {
  std::size_t kind = 0;
  for (const DType dtype : all_types) {
    const std::uint64_t whole = segment_bytes / size_of(dtype);
    for (const bool checksums : {true, false}) {
      std::vector<FrameCase> cases;
      for (const std::uint64_t elements :
           {std::uint64_t{0}, std::uint64_t{1}, whole - 1, whole, 2 * whole + 77})
        cases.push_back(list_case(dtype, usual_tree(dtype), segment_bytes, checksums, elements, kind++ % 13));
      expect_frames(cases);
    }
  }
}

/// Whoever encodes them tells ranges and digests, too.
TEST(TreeFramesOfTheGpu, AreThoseOfTheCpuAboveEntropy) {
  std::size_t number = 0;
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i32, DType::u32,
                            DType::i64, DType::u64, DType::i16, DType::u16}) {
    for (const std::string tree :
         {"entropy", "delta,entropy", "delta(2),entropy", "sortable,entropy", "sortable,delta,entropy",
          "sortable,delta(2),entropy", "delta(1,100),entropy", "sortable,delta(1,32),delta,entropy",
          "grid,delta(2,70),delta(2),entropy,raw,bitpack,raw"}) {
      if (!trees::plan_from_text(tree, dtype)) continue;
      const std::uint64_t whole = segment_bytes / size_of(dtype);
      for (std::size_t kind = sanitized ? number++ % 4 : 0; kind < 13; kind += sanitized ? 4 : 1)
        expect_frames({list_case(dtype, tree, segment_bytes, kind % 3 != 0, whole + 1 + kind, kind)});
    }
  }
}

TEST(TreeFramesOfTheGpu, AreThoseOfTheCpuForAllTrees) {
  std::size_t kind = 0;
  for (const DType dtype : {DType::f64, DType::i32, DType::f16, DType::u8}) {
    for (const std::string& tree : device_trees(dtype))
      expect_frames({list_case(dtype, tree, segment_bytes, true, 3 * segment_bytes / (2 * size_of(dtype)),
                               kind++ % 13)});
  }
}

/// Blocks that take words apart into dictionaries, or quotients, tell ranges; also where segments are parked.
TEST(TreeFramesOfTheGpu, AreThoseOfTheCpuWhereRangesAreKnown) {
  std::size_t number = 0;
  for (const DType dtype : {DType::f32, DType::i32, DType::u64, DType::f64}) {
    for (const std::string tree :
         {"dict,raw,bitpack,raw", "dict(1,70),raw,entropy,raw", "divide(1,9),delta,entropy,constant",
          "divide(1,9),entropy,bitpack", "divide(3,1),entropy,entropy"}) {
      FrameCase c = list_case(dtype, tree, segment_bytes, true, 5000, 5);
      const std::uint64_t width = size_of(dtype);
      for (const std::uint64_t sign : {0, 1, 2, 3, 4, 5}) {
        if (sanitized && number++ % 4 > 1) continue;
        for (std::uint64_t i = 0; i < c.content.size() / width; ++i) {
          const std::uint64_t random = core::splitmix(i), below = sign > 2 ? random / 100 % 512 : 7,
                              word = (random % 90 + 5) << 9 | below;
          std::memcpy(c.content.data() + i * width, &word, width);
          if (sign % 3 > i % 2) c.content[(i + 1) * width - 1] ^= 0x80;
        }
        expect_frames({c});
        expect_frames({c}, true);
      }
    }
  }
}

/// Ranges leave NaN out; of a segment without numbers there is none.
TEST(TreeFramesOfTheGpu, AreThoseOfTheCpuWhereFloatsAreNan) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const std::uint64_t width = size_of(dtype), whole = segment_bytes / width, top = 8 * width - 1;
    for (const std::string tree : {"sortable,delta,entropy", "sortable,entropy", "entropy"}) {
      FrameCase c = list_case(dtype, tree, segment_bytes, true, 6 * whole + 77, 5);
      for (std::uint64_t i = 0; i < c.content.size() / width; ++i) {
        const std::uint64_t random = core::splitmix(i), sign = (i / whole + random) % 2 << top,
                            number = std::uint64_t{3} << (top - 2) | random % 200,
                            nan = ~std::uint64_t{0} >> (64 - top);
        const bool is_nan = i / whole == 3 || (i / whole != 0 && i / whole != 4 && random / 7 % 100 == 0);
        const std::uint64_t word = sign | (is_nan ? nan - random % 3 : number);
        std::memcpy(c.content.data() + i * width, &word, width);
      }
      expect_frames({c});
    }
  }
}

TEST(TreeFramesOfTheGpu, HaveShapes) {
  for (const Extent& shape : {Extent{{}, 0}, Extent{{2, 3, 5}, 3}, Extent{{0, 3}, 2}, Extent{{4, 0}, 2}}) {
    FrameCase c = list_case(DType::i64, "delta,bitpack", 0, true, *shape.element_count(), 4);
    c.extent = shape;
    expect_frames({c});
  }
}

TEST(TreeFramesOfTheGpu, AreNotWrittenBeyondTheRoom) {
  const FrameCase c = list_case(DType::i32, "bitpack", segment_bytes, true, 3 * segment_bytes / 4, 5);
  const auto bytes = static_cast<std::int64_t>(c.frame().size());
  for (const std::int64_t missing : {std::int64_t{16}, bytes / 2, bytes - 16, bytes}) {
    const CompressedBatch batch({c}, -missing);
    EXPECT_EQ(batch.results[0].code, static_cast<std::uint32_t>(ErrorCode::output_too_small)) << missing;
    EXPECT_EQ(batch.results[0].bytes, 0U);
    const PaddedBytes& out = *batch.outs[0];
    for (std::size_t i = out.size(); i < (out.size() + 31) / 16 * 16; ++i) ASSERT_EQ(out.data()[i], 0xA5);
  }
}

TEST(TreeFramesForTheGpu, BecomeTheirElements) {
  std::size_t kind = 0;
  for (const DType dtype : all_types) {
    std::vector<FrameCase> cases;
    std::vector<Bytes> frames;
    const std::uint64_t whole = segment_bytes / size_of(dtype);
    for (const std::uint64_t elements : {std::uint64_t{0}, std::uint64_t{1}, whole, 2 * whole + 77}) {
      cases.push_back(list_case(dtype, usual_tree(dtype), segment_bytes, kind % 2 == 0, elements, kind % 13));
      frames.push_back(cases.back().frame());
      ++kind;
    }
    const DecompressedBatch batch(dtype, frames, 3 * segment_bytes);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ASSERT_EQ(batch.results[i].code, 0U) << cases[i].name() << " at " << batch.results[i].byte_offset;
      EXPECT_EQ(batch.results[i].bytes, cases[i].content.size());
      EXPECT_TRUE(std::equal(cases[i].content.begin(), cases[i].content.end(), batch.outs[i]->data()))
          << cases[i].name();
    }
  }
}

TEST(TreeFramesForTheGpu, GiveSlices) {
  const std::uint64_t whole = segment_bytes / 4;
  const FrameCase c = list_case(DType::f32, "sortable,delta,bitpack", segment_bytes, true, 3 * whole + 5, 5);
  const Bytes frame = c.frame();
  for (const Slice slice : {Slice{0, 1}, Slice{whole - 1, 2}, Slice{whole, whole}, Slice{5, 2 * whole},
                            Slice{3 * whole + 4, 1}, Slice{3 * whole + 5, 0}, Slice{0, 3 * whole + 5}}) {
    const DecompressedBatch batch(c.dtype, {frame}, slice.count * 4, slice);
    EXPECT_EQ(batch.results[0].code, 0U);
    EXPECT_EQ(batch.results[0].bytes, slice.count * 4);
    EXPECT_EQ(std::memcmp(batch.outs[0]->data(), c.content.data() + 4 * slice.first, 4 * slice.count), 0);
  }
  const auto code_of = [&](std::uint64_t room, Slice slice, std::uint64_t max_segment) {
    return static_cast<ErrorCode>(
        DecompressedBatch(c.dtype, {frame}, room, slice, max_segment).results[0].code);
  };
  EXPECT_EQ(code_of(100, {3 * whole + 5, 1}, segment_bytes), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(399, {0, 100}, segment_bytes), ErrorCode::output_too_small);
  EXPECT_EQ(code_of(400, {0, 100}, segment_bytes - 4), ErrorCode::out_of_memory);
  EXPECT_EQ(code_of(3 * segment_bytes, {0, 3 * whole}, 4 * segment_bytes), ErrorCode::out_of_memory);
}

/// A frame of shorter segments takes no room from the others.
TEST(TreeFramesForTheGpu, MayHaveTooManySegments) {
  const FrameCase c =
      list_case(DType::i32, "delta,bitpack", 4 * segment_bytes, true, 5 * segment_bytes / 4, 5);
  FrameCase shorter = c;
  shorter.segment_bytes = segment_bytes;
  const DecompressedBatch batch(c.dtype, {c.frame(), shorter.frame(), c.frame()}, c.content.size(), {0, all},
                                4 * segment_bytes);
  EXPECT_EQ(static_cast<ErrorCode>(batch.results[1].code), ErrorCode::out_of_memory);
  for (const std::size_t i : {0, 2}) {
    EXPECT_EQ(batch.results[i].code, 0U);
    EXPECT_EQ(std::memcmp(batch.outs[i]->data(), c.content.data(), c.content.size()), 0);
  }
}

TEST(TreeFramesForTheGpu, HaveNoCodecs) {
  const std::vector<Bytes> frames = {
      list_case(DType::f32, "spspeed", segment_bytes, true, 9000, 5).frame(),
      list_case(DType::i32, "delta,bitpack", segment_bytes, true, 9000, 5).frame()};
  const DecompressedBatch batch(DType::f32, frames, 3 * segment_bytes);
  for (const ItemResult& result : batch.results)
    EXPECT_EQ(static_cast<ErrorCode>(result.code), ErrorCode::unsupported_codec);
}

/// What the CPU makes of a frame that may be damaged: of its elements, if there are as many as in `out`.
Status status_on_cpu(const Bytes& frame, Bytes& out) {
  const auto reader = Reader::open(std::as_bytes(std::span(frame)));
  if (!reader) return reader.status();
  if (reader->info().array_bytes() != out.size()) return {ErrorCode::output_too_small, 0, ""};
  return reader->decompress(std::as_writable_bytes(std::span(out)), {1});
}

/// Bits of one byte after the other: what the CPU refuses, devices refuse. `reseals`: with CRCs that are
/// right.
void expect_refused_as_by_cpu(const FrameCase& c, bool reseals) {
  const Bytes frame = c.frame();
  const OpenedFrame opened(frame);
  const std::uint64_t step = sanitized ? 3 : 1;
  for (std::uint64_t begin = 0; begin < frame.size(); begin += 128 * step) {
    std::vector<Bytes> frames;
    for (std::uint64_t at = begin; at < std::min<std::uint64_t>(begin + 128 * step, frame.size());
         at += step) {
      for (const unsigned bit : {0U, 7U}) {
        Bytes damaged = frame;
        damaged[at] ^= static_cast<std::uint8_t>(1U << bit);
        if (reseals) reseal_crcs(damaged, opened);
        frames.push_back(std::move(damaged));
      }
    }
    const DecompressedBatch batch(c.dtype, frames, c.content.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto reader = Reader::open(std::as_bytes(std::span(frames[i])));
      Bytes decoded(c.content.size());
      const Status status = status_on_cpu(frames[i], decoded);
      const auto code = static_cast<ErrorCode>(batch.results[i].code);
      const std::string name = "bit " + std::to_string(8 * (begin + i / 2 * step) + i % 2 * 7) + ": " +
                               std::string(status.message());
      // Types are no more than a number, and segments may be longer than they are.
      const bool is_other = reader && (reader->info().dtype != c.dtype ||
                                       reader->info().max_segment_length != segment_bytes / size_of(c.dtype));
      if (is_other && status.ok()) {
        EXPECT_EQ(code, ErrorCode::unsupported_codec) << name;
      } else {
        EXPECT_EQ(code == ErrorCode::ok, status.ok()) << name << ", device: " << batch.results[i].code;
        if (status.ok()) {
          EXPECT_EQ(std::memcmp(batch.outs[i]->data(), decoded.data(), decoded.size()), 0) << name;
        }
      }
    }
  }
}

TEST(TreeFramesForTheGpu, AreRefusedAsByTheCpu) {
  for (const bool checksums : {true, false}) {
    FrameCase c = list_case(DType::u16, "constant", segment_bytes, checksums, 8192 + 400, 0);
    std::fill(c.content.begin(), c.content.end(), std::uint8_t{3});
    c.extent = {{4, 2148}, 2};
    expect_refused_as_by_cpu(c, false);
    expect_refused_as_by_cpu(c, true);
  }
}

TEST(TreeFramesForTheGpu, MayBeCutShort) {
  const FrameCase c = list_case(DType::i64, "delta,bitpack", segment_bytes, true, 2100, 5);
  const Bytes frame = c.frame();
  std::vector<Bytes> frames;
  for (std::size_t size = 0; size < frame.size(); size += size < 300 || size + 300 > frame.size() ? 1 : 97)
    frames.emplace_back(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
  const DecompressedBatch batch(c.dtype, frames, c.content.size());
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_NE(batch.results[i].code, 0U) << frames[i].size();
}

/// A damaged segment becomes zeros, and the others are there.
TEST(TreeFramesForTheGpu, LoseWhatIsDamaged) {
  const std::uint64_t whole = segment_bytes / 4;
  const FrameCase c = list_case(DType::i32, "delta,bitpack", segment_bytes, true, 3 * whole, 5);
  Bytes frame = c.frame();
  const OpenedFrame opened(frame);
  frame[opened.segments[1].payload_offset + 100] ^= 1;
  const DecompressedBatch batch(c.dtype, {frame}, c.content.size());
  EXPECT_EQ(static_cast<ErrorCode>(batch.results[0].code), ErrorCode::corrupt_frame);
  EXPECT_EQ(batch.results[0].failed_chunks, 1U);
  EXPECT_EQ(batch.results[0].byte_offset, opened.segments[1].payload_offset);
  Bytes expected = c.content;
  std::fill_n(expected.begin() + segment_bytes, segment_bytes, std::uint8_t{0});
  EXPECT_EQ(std::memcmp(batch.outs[0]->data(), expected.data(), expected.size()), 0);
}

}  // namespace
}  // namespace floe::test
