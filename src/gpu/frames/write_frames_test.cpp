// Tests of headers, tables and footers that blocks write around payloads: the frames are those of the CPU.
#include "gpu/frames/write_frames.hpp"

#include <gtest/gtest.h>

#include "gpu/frames/frames_test.hpp"

namespace floe::gpu {
namespace {

using test::Bytes;
using test::FrameCase;
using test::OpenedFrame;
using test::PaddedBytes;

/// Batches of arrays whose chunks are encoded already: payloads lie in their frames, all else is to be
/// written.
class EncodedBatch {
 public:
  EncodedBatch(const std::vector<FrameCase>& cases, std::int64_t missing_room) {
    for (const FrameCase& c : cases) {
      frames_.push_back(c.frame());
      const std::uint64_t room = frames_.back().size() - static_cast<std::uint64_t>(missing_room);
      outs_.push_back(std::make_unique<PaddedBytes>(room));
      items_.push_back({c.content.data(), c.content.size(), outs_.back()->data(), room});
      put_chunks(frames_.back(), c, missing_room == 0);
    }
    const FrameCase& first = cases.front();
    const auto plan = plan_frames(first.dtype, first.extent, first.options()).value();
    describe_frames(job_, plan, first.extent);
    describe_leaf(job_, *plan.leaf);
    records_.resize(cases.size());
    results_.resize(cases.size());
    job_.item_count = cases.size();
    job_.batch = items_.data();
    job_.results = results_.data();
    job_.items = records_.data();
    job_.counters = &counters_;
    job_.states = states_.data();
    job_.entries = entries_.data();
    job_.chunk_capacity = static_cast<std::uint32_t>(entries_.size());
  }

  void finish() {
    test::run_frame_block([&](auto& block) {
      load_crc_tables(block);
      set_up(block, job_);
      block.sync();
      for (std::uint32_t unit = 0; unit < counters_.unit_count; ++unit)
        finish_leaf<WrittenSegment>(block, job_, unit);
    });
  }

  CompressJob job_;
  std::vector<Bytes> frames_;
  std::vector<std::unique_ptr<PaddedBytes>> outs_;
  std::vector<ItemResult> results_;

 private:
  void put_chunks(const Bytes& frame, const FrameCase& c, bool copies) {
    const OpenedFrame opened(frame);
    for (std::size_t s = 0; s < opened.segments.size(); ++s) {
      const container::StreamEntry& stream = opened.stream(s);
      const std::uint64_t offset = opened.segments[s].payload_offset,
                          count = core::divide_up(stream.words_bytes(), core::chunk_bytes),
                          payloads = offset + leaf_header_bytes(count, c.checksums);
      const chunks::ChunkTable<const std::uint8_t> table(
          std::span<const std::uint8_t>(frame).subspan(offset + chunks::front_bytes), count, c.checksums);
      for (std::uint64_t chunk = 0; chunk < count; ++chunk) {
        const core::BlockEntry entry = table.entry(chunk);
        sum_ += chunks::padded(entry.stored_bytes);
        states_.push_back(OffsetState::inclusive | sum_);
        entries_.push_back(entry.checksum | std::uint64_t{entry.stored_bytes} << 32 |
                           std::uint64_t{entry.mode} << 48);
      }
      if (copies)
        std::memcpy(outs_.back()->data() + payloads, frame.data() + payloads,
                    offset + stream.stored_bytes - payloads);
    }
  }

  std::vector<BatchItem> items_;
  std::vector<CompressItem> records_;
  std::vector<std::uint64_t> states_, entries_;
  std::uint64_t sum_ = 0;
  Counters counters_;
};

void expect_frames(const std::vector<FrameCase>& cases) {
  EncodedBatch batch(cases, 0);
  batch.finish();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Bytes& frame = batch.frames_[i];
    EXPECT_EQ(batch.results_[i].code, 0U) << cases[i].name();
    EXPECT_EQ(batch.results_[i].bytes, frame.size()) << cases[i].name();
    const auto [ours, theirs] = std::mismatch(frame.begin(), frame.end(), batch.outs_[i]->data());
    EXPECT_TRUE(ours == frame.end()) << cases[i].name() << ", byte " << ours - frame.begin();
  }
}

TEST(FramesOfTheGpu, AreThoseOfTheCpu) {
  const std::pair<DType, const char*> codecs[] = {
      {DType::f32, "spspeed"}, {DType::f64, "gfc(3)"},     {DType::f64, "dpspeed"}, {DType::i32, "spratio"},
      {DType::f16, "speed16"}, {DType::boolean, "speed8"}, {DType::u32, "gfc"}};
  std::size_t kind = 0;
  for (const auto& [dtype, codec] : codecs) {
    for (const bool checksums : {true, false}) {
      std::vector<FrameCase> cases;
      for (const std::uint64_t elements : {0, 1, 3000, 20000, 100003})
        cases.push_back(
            test::list_case(dtype, codec, 3 * core::chunk_bytes, checksums, elements, kind++ % 13));
      expect_frames(cases);
    }
  }
}

TEST(FramesOfTheGpu, HaveGroupsOfChunks) {
  expect_frames({test::list_case(DType::f32, "spspeed", 700 * core::chunk_bytes, true, 1400 * 4096 + 5, 5)});
  expect_frames({test::list_case(DType::u8, "speed8", 9000 * core::chunk_bytes, true, 4700 * 16384 - 5, 0)});
}

TEST(FramesOfTheGpu, HaveShapes) {
  FrameCase scalar = test::list_case(DType::f32, "spspeed", 0, true, 1, 4);
  scalar.extent.rank = 0;
  expect_frames({scalar});
  for (const Extent& shape :
       {Extent{{2, 3, 5}, 3}, Extent{{0, 3}, 2}, Extent{{4, 0}, 2}, Extent{{1, 1, 1, 1, 1, 1, 1, 9}, 8}}) {
    FrameCase c = test::list_case(DType::f32, "spspeed", 0, true, *shape.element_count(), 4);
    c.extent = shape;
    expect_frames({c});
  }
}

TEST(FramesOfTheGpu, AreNotWrittenBeyondTheRoom) {
  EncodedBatch batch({test::list_case(DType::f32, "spspeed", 2 * core::chunk_bytes, true, 30000, 5)}, 16);
  batch.finish();
  EXPECT_EQ(batch.results_[0].code, static_cast<std::uint32_t>(ErrorCode::output_too_small));
  EXPECT_EQ(batch.results_[0].bytes, 0U);
  for (std::size_t i = 0; i < batch.outs_[0]->size(); ++i) ASSERT_EQ(batch.outs_[0]->data()[i], 0xA5) << i;
}

TEST(FramesOfTheGpu, NeedWorkspaceForTheirChunks) {
  EncodedBatch batch({test::list_case(DType::f32, "spspeed", 0, true, 30000, 5),
                      test::list_case(DType::f32, "spspeed", 0, true, 0, 5)},
                     0);
  --batch.job_.chunk_capacity;
  batch.finish();
  for (const ItemResult& result : batch.results_)
    EXPECT_EQ(result.code, static_cast<std::uint32_t>(ErrorCode::out_of_memory));
}

}  // namespace
}  // namespace floe::gpu
