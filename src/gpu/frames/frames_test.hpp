// Frames of the CPU taken apart, for tests of the functions that make and read frames on devices.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "chunks/leaf_decoder.hpp"
#include "container/frame_index.hpp"
#include "core/crc32c.hpp"
#include "gpu/frames/frame_memory.hpp"
#include "gpu/frames/frame_start.hpp"
#include "tests/support/data.hpp"
#include "tests/support/emulated_block.hpp"
#include "tests/support/padded_bytes.hpp"

namespace floe::test {

/// Calls body(block) with a block of the kernels for frames.
template <class Body>
void run_frame_block(const Body& body) {
  static const auto memory = std::make_unique<gpu::FrameMemory>();
  EmulatedBlock<gpu::FrameMemory>::run(gpu::frame_warps, *memory, body);
}

/// An array, and how it is compressed.
struct FrameCase {
  DType dtype = DType::u8;
  std::string tree;
  std::uint64_t segment_bytes = 0;
  bool checksums = true;
  Extent extent;
  Bytes content;

  [[nodiscard]] Options options() const {
    Options options;
    options.tree = tree;
    options.segment_bytes = segment_bytes;
    options.checksum = checksums;
    options.threads = 1;
    options.profile = Profile::gpu;
    return options;
  }
  [[nodiscard]] Bytes frame() const {
    const auto made = compress(std::as_bytes(std::span(content)), dtype, extent, options()).value();
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(made.data());
    return {begin, begin + made.size()};
  }
  [[nodiscard]] std::string name() const {
    return std::string(name_of(dtype)) + " " + tree + ", " + std::to_string(content.size()) +
           " bytes, segments of " + std::to_string(segment_bytes) + (checksums ? "" : ", without checksums");
  }
};

inline FrameCase list_case(DType dtype, std::string tree, std::uint64_t segment_bytes, bool checksums,
                           std::uint64_t elements, std::size_t kind) {
  const std::uint64_t bytes = elements * size_of(dtype);
  return {dtype,
          std::move(tree),
          segment_bytes,
          checksums,
          Extent::linear(elements),
          make_bytes(static_cast<unsigned>(8 * size_of(dtype)), kind, bytes, kind + 1)};
}

/// A frame of the CPU, and its segments.
struct OpenedFrame {
  container::FrameIndex index;
  std::vector<container::OpenSegment> segments;

  explicit OpenedFrame(const Bytes& frame) {
    const container::MemorySource source(frame);
    core::Buffer scratch;
    index = container::read_frame_index(source, frame.size(), std::uint64_t{1} << 30).value();
    for (std::uint64_t i = 0; i < index.segment_count(); ++i)
      segments.push_back(open_segment(source, index, i, scratch).value());
  }
  [[nodiscard]] const container::StreamEntry& stream(std::size_t segment) const {
    return segments[segment].header.columns[0].streams[0];
  }
};

/// Makes the CRCs of a changed frame right again, as far as its parts are where they were.
inline void reseal_crcs(Bytes& frame, const OpenedFrame& opened) {
  const auto seal = [&](std::uint64_t begin, std::uint64_t crc_at) {
    core::store(frame.data() + crc_at, core::crc32c(std::span(frame).subspan(begin, crc_at - begin)));
  };
  seal(0, opened.index.header_bytes - 4);
  const auto header_crc = core::load<std::uint32_t>(frame.data() + opened.index.header_bytes - 4);
  for (std::uint64_t i = 0; i < opened.segments.size(); ++i) {
    const std::uint64_t begin = opened.index.begin_of(i).offset;
    core::store(frame.data() + begin + container::segment_at::header_crc, header_crc);
    seal(begin, opened.segments[i].payload_offset - 4);
  }
  core::store(frame.data() + opened.index.footer_offset + 8, header_crc);
  seal(opened.index.footer_offset, frame.size() - 8);
}

}  // namespace floe::test
