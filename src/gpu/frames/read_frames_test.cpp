// Tests of blocks that read headers, tables and footers: sound frames are taken apart as the CPU does it, and
// damaged ones refused.
#include <gtest/gtest.h>

#include "gpu/frames/frames_test.hpp"
#include "gpu/frames/read_segments.hpp"
#include "tree/plan.hpp"

namespace floe::gpu {
namespace {

using test::Bytes;
using test::FrameCase;
using test::OpenedFrame;
using test::PaddedBytes;

/// Frames in memory as of a device, and the tasks that come of them.
class ReadBatch {
 public:
  ReadBatch(const FrameCase& kind, const std::vector<Bytes>& frames, std::uint64_t room,
            Slice slice = {0, ~std::uint64_t{0}})
      : tasks_(3 + frames.size() * (room / core::chunk_bytes + 2)) {
    for (const Bytes& frame : frames) {
      frames_.push_back(std::make_unique<PaddedBytes>(std::span<const std::uint8_t>(frame)));
      items_.push_back({frames_.back()->data(), frame.size(), nullptr, room});
    }
    records_.resize(frames.size());
    results_.resize(frames.size());
    const auto plan = trees::plan_from_text(kind.tree, kind.dtype).value();
    const auto& codec = *registry::find_codec(static_cast<std::uint16_t>(plan.nodes[0].parameters[0]));
    job_.dtype = kind.dtype;
    job_.codec_id = static_cast<std::uint8_t>(codec.id);
    job_.max_dimensionality = codec.takes_dimensionality ? 32 : 1;
    job_.slice = slice;
    job_.item_count = frames.size();
    job_.batch = items_.data();
    job_.results = results_.data();
    job_.items = records_.data();
    job_.counters = &counters_;
    job_.tasks = tasks_.data();
    job_.chunk_capacity = static_cast<std::uint32_t>(tasks_.size());
    job_.streams = nullptr;
  }

  void read(std::uint32_t shares) {
    test::run_frame_block([&](auto& block) {
      load_crc_tables(block);
      block.sync();
      for (std::uint64_t i = 0; i < job_.item_count; ++i) {
        read_item(block, job_, i);
        block.sync();
      }
      number_items(block, job_);
      block.sync();
      for (std::uint32_t work = 0; work < counters_.unit_count * shares; ++work) {
        read_segment(block, job_, work / shares, work % shares, shares);
        block.sync();
      }
    });
  }

  DecodeJob job_;
  std::vector<std::unique_ptr<PaddedBytes>> frames_;
  std::vector<BatchItem> items_;
  std::vector<DecodeItem> records_;
  std::vector<ItemResult> results_;
  std::vector<ChunkTask> tasks_;
  Counters counters_;
};

/// Fails unless the tasks of an item are those of the chunks of a slice.
void expect_tasks(const ReadBatch& batch, std::size_t item, const FrameCase& c, const Bytes& frame,
                  Slice slice) {
  const OpenedFrame opened(frame);
  const DecodeItem& record = batch.records_[item];
  const std::uint64_t width = size_of(c.dtype), begin = slice.first * width,
                      end = begin + slice.count * width;
  ASSERT_EQ(batch.results_[item].code, 0U) << c.name();
  ASSERT_EQ(batch.results_[item].bytes, end - begin) << c.name();
  ASSERT_EQ(record.chunks,
            begin == end ? 0 : core::divide_up(end, core::chunk_bytes) - begin / core::chunk_bytes);
  const auto plan = trees::plan_from_text(c.tree, c.dtype).value();
  for (std::size_t s = 0; s < opened.segments.size(); ++s) {
    const container::StreamEntry& stream = opened.stream(s);
    const std::uint64_t offset = opened.segments[s].payload_offset, bytes = stream.words_bytes(),
                        count = core::divide_up(bytes, core::chunk_bytes);
    const chunks::ChunkTable<const std::uint8_t> table(
        std::span<const std::uint8_t>(frame).subspan(offset + chunks::front_bytes), count, c.checksums);
    std::uint64_t payload = offset + leaf_header_bytes(count, c.checksums);
    for (std::uint64_t chunk = 0; chunk < count; ++chunk) {
      const core::BlockEntry entry = table.entry(chunk);
      const std::uint64_t first = opened.segments[s].header.first * width + chunk * core::chunk_bytes,
                          number = first / core::chunk_bytes;
      const std::uint64_t chunk_bytes =
          std::min<std::uint64_t>(core::chunk_bytes, bytes - chunk * core::chunk_bytes);
      if (first < end && first + chunk_bytes > begin) {
        const ChunkTask& task = batch.tasks_[record.first_task + number - record.first_chunk];
        ASSERT_EQ(task.payload, batch.frames_[item]->data() + payload) << c.name() << " " << number;
        ASSERT_EQ(task.checksum, entry.checksum);
        ASSERT_EQ(task.stored_bytes, entry.stored_bytes);
        ASSERT_EQ(task.mode, entry.mode);
        ASSERT_EQ(task.checksums != 0, c.checksums);
        ASSERT_EQ(task.dimensionality, plan.nodes[0].parameters[1]);
        ASSERT_EQ(task.chunk_bytes, chunk_bytes);
        ASSERT_EQ(task.begin, begin > first ? begin - first : 0);
        ASSERT_EQ(task.end, std::min<std::uint64_t>(end - first, chunk_bytes));
        ASSERT_EQ(task.item, item);
      }
      payload += chunks::padded(entry.stored_bytes);
    }
  }
}

TEST(FramesForTheGpu, GiveATaskForEveryChunk) {
  std::size_t kind = 0;
  for (const auto& [dtype, codec] :
       {std::pair{DType::f32, "spspeed"}, std::pair{DType::f64, "gfc(7)"}, std::pair{DType::i8, "speed8"}}) {
    for (const bool checksums : {true, false}) {
      std::vector<FrameCase> cases;
      std::vector<Bytes> frames;
      for (const std::uint64_t elements : {0, 1, 20000, 100003}) {
        cases.push_back(
            test::list_case(dtype, codec, 3 * core::chunk_bytes, checksums, elements, kind++ % 13));
        frames.push_back(cases.back().frame());
      }
      for (const std::uint32_t shares : {1U, 8U}) {
        ReadBatch batch(cases[0], frames, 1 << 20);
        batch.read(shares);
        for (std::size_t i = 0; i < cases.size(); ++i)
          expect_tasks(batch, i, cases[i], frames[i], {0, cases[i].extent.size[0]});
      }
    }
  }
}

TEST(FramesForTheGpu, GiveTasksForSlices) {
  const FrameCase c = test::list_case(DType::f32, "spspeed", 5 * core::chunk_bytes, true, 70001, 5);
  const Bytes frame = c.frame();
  for (const Slice slice : {Slice{0, 1}, Slice{4095, 2}, Slice{20479, 2}, Slice{20480, 20480},
                            Slice{5, 60000}, Slice{70000, 1}, Slice{70001, 0}, Slice{0, 70001}}) {
    ReadBatch batch(c, {frame}, slice.count * 4, slice);
    batch.read(3);
    expect_tasks(batch, 0, c, frame, slice);
  }
  ReadBatch beyond(c, {frame}, 100, {70001, 1}), too_small(c, {frame}, 399, {0, 100});
  beyond.read(1);
  too_small.read(1);
  EXPECT_EQ(beyond.results_[0].code, static_cast<std::uint32_t>(ErrorCode::invalid_argument));
  EXPECT_EQ(too_small.results_[0].code, static_cast<std::uint32_t>(ErrorCode::output_too_small));
}

TEST(FramesForTheGpu, HaveGroupsOfChunks) {
  const FrameCase c =
      test::list_case(DType::u8, "speed8", 9000 * core::chunk_bytes, true, 4700 * 16384 - 5, 5);
  const Bytes frame = c.frame();
  ReadBatch batch(c, {frame}, c.content.size());
  batch.read(1);
  expect_tasks(batch, 0, c, frame, {0, c.content.size()});
}

TEST(FramesForTheGpu, MustBeOfTheKindThatWasAskedFor) {
  const FrameCase kind = test::list_case(DType::f32, "spspeed", 0, true, 5000, 5);
  const Bytes table_magic = {'F', 'L', 'O', 'E', 1, 1, 0, 1};
  std::vector<Bytes> frames = {test::list_case(DType::i32, "spspeed", 0, true, 5000, 5).frame(),
                               test::list_case(DType::f32, "spratio", 0, true, 5000, 5).frame(),
                               test::list_case(DType::f32, "gfc", 0, true, 5000, 5).frame(),
                               test::list_case(DType::f32, "sortable,bitpack", 0, true, 5000, 5).frame()};
  ReadBatch batch(kind, frames, 1 << 20);
  batch.read(2);
  for (const ItemResult& result : batch.results_)
    EXPECT_EQ(result.code, static_cast<std::uint32_t>(ErrorCode::unsupported_codec));
}

TEST(FramesForTheGpu, HaveDigests) {
  const FrameCase c = test::list_case(DType::f32, "spspeed", core::chunk_bytes, true, 9000, 5);
  const Bytes frame = c.frame();
  const OpenedFrame opened(frame);
  std::vector<Bytes> frames(3, frame);
  frames[0][opened.index.footer_offset + container::footer_at::digest] ^= 1;  // of the frame
  frames[1][opened.segments[1].payload_offset - 16] ^= 1;                     // of a stream
  frames[2][opened.segments[2].payload_offset + chunks::front_bytes] ^= 1;    // in a table
  for (Bytes& damaged : frames) reseal_crcs(damaged, opened);
  ReadBatch batch(c, frames, 1 << 20), part(c, frames, 1 << 20, {0, 3});
  batch.read(1);
  part.read(1);
  const std::uint64_t offsets[] = {opened.index.footer_offset + container::footer_at::digest,
                                   opened.segments[1].payload_offset, opened.segments[2].payload_offset};
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(batch.results_[i].code, static_cast<std::uint32_t>(ErrorCode::corrupt_frame)) << i;
    EXPECT_EQ(batch.results_[i].byte_offset, offsets[i]) << i;
    EXPECT_EQ(part.results_[i].code, 0U) << i;
  }
}

/// One byte after the other of all that is no payload: what the CPU refuses, devices refuse. Each is changed
/// in three ways, one or two of them with checksums and the others without.
TEST(FramesForTheGpu, AreRefusedAsByTheCpu) {
  for (const bool checksums : {true, false}) {
    FrameCase c = test::list_case(DType::f32, "gfc(2)", core::chunk_bytes, checksums, 9000, 5);
    c.extent = {{2, 4500}, 2};
    const Bytes frame = c.frame();
    const OpenedFrame opened(frame);
    std::vector<Bytes> frames;
    std::vector<std::string> names;
    const auto change = [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t at = begin; at < end; ++at) {
        for (const std::uint8_t bits : {std::uint8_t{1}, std::uint8_t{0x80}, std::uint8_t{0xFF}}) {
          if ((at + bits + (checksums ? 1 : 0)) % (test::sanitized ? 10 : 2) != 0) continue;
          Bytes damaged = frame;
          damaged[at] ^= bits;
          reseal_crcs(damaged, opened);
          frames.push_back(std::move(damaged));
          names.push_back("byte " + std::to_string(at) + " ^ " + std::to_string(bits));
        }
      }
    };
    change(0, opened.index.header_bytes);
    for (std::size_t s = 0; s < opened.segments.size(); ++s) {
      const std::uint64_t count = core::divide_up(opened.stream(s).words_bytes(), core::chunk_bytes);
      change(opened.index.begin_of(s).offset,
             opened.segments[s].payload_offset + leaf_header_bytes(count, checksums));
    }
    change(opened.index.footer_offset, frame.size());
    ReadBatch batch(c, frames, c.content.size());
    batch.read(1);
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto reader = Reader::open(std::as_bytes(std::span(frames[i])));
      Status status = reader.status();
      Bytes out(c.content.size());
      if (reader && reader->info().array_bytes() == out.size()) {
        status = reader->decompress(std::as_writable_bytes(std::span(out)), {1});
      } else if (status.ok()) {
        status = {ErrorCode::output_too_small, 0, ""};
      }
      // Types are no more than a number, and segments may be longer than they are.
      const bool is_other = reader && (reader->info().dtype != c.dtype ||
                                       reader->info().max_segment_length != core::chunk_bytes / 4);
      const bool is_good = batch.results_[i].code == 0;
      accepted += is_good ? 1 : 0;
      if (is_other && status.ok()) {
        EXPECT_EQ(batch.results_[i].code, static_cast<std::uint32_t>(ErrorCode::unsupported_codec))
            << names[i];
      } else {
        EXPECT_EQ(is_good, status.ok())
            << names[i] << ": " << status.message() << ", device: " << batch.results_[i].code << " at "
            << batch.results_[i].byte_offset;
      }
    }
    EXPECT_LT(accepted, frames.size() / 4);
  }
}

TEST(FramesForTheGpu, MayBeCutShort) {
  const FrameCase c = test::list_case(DType::f32, "spspeed", core::chunk_bytes, true, 9000, 5);
  const Bytes frame = c.frame();
  std::vector<Bytes> frames;
  for (std::size_t size = 0; size < frame.size(); size += size < 300 || size + 300 > frame.size() ? 1 : 97)
    frames.emplace_back(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
  ReadBatch batch(c, frames, c.content.size());
  batch.read(1);
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_NE(batch.results_[i].code, 0U) << frames[i].size();
}

}  // namespace
}  // namespace floe::gpu
