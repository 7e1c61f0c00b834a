// What is done with a part of an array in the memory of a GPU, of one process (parts.cpp) or several
// (ranks.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "container/layout.hpp"
#include "container/parts.hpp"
#include "core/bits.hpp"
#include "core/crc32c.hpp"
#include "core/digest.hpp"
#include "core/word.hpp"
#include "floe/cuda.hpp"
#include "floe/cuda_host.hpp"
#include "gpu/host/calls.hpp"

namespace floe::gpu {

/// What the host must know of a segment to write the frame around it.
struct SegmentFacts {
  std::uint64_t offset = 0;  ///< In the part's own frame.
  std::uint64_t digest = 0;  ///< Of its stream.
};

struct PatchJob {
  std::uint8_t* frame = nullptr;             ///< The part's own frame: header, segments, footer.
  const cuda::ItemResult* result = nullptr;  ///< Of compressing it; null if `frame_bytes` is known.
  std::uint64_t frame_bytes = 0;
  std::uint32_t segment_count = 0;
  std::uint64_t index_step = 0, first_step = 0;  ///< Added to both numbers of every segment, modulo 2^64.
  /// The CRC of the header that segments belong to, XOR that of the other one.
  std::uint32_t header_crc_change = 0;
  SegmentFacts* facts = nullptr;  ///< In device memory: of each segment; null if they are not wanted.
};

/// Offset in the header of an array's segment.
inline constexpr std::size_t crc_at = container::array_segment_header_bytes - 4;

template <class Number>
FLOE_HD Number& number_at(std::uint8_t* bytes) {
  return *reinterpret_cast<Number*>(bytes);
}

/// What the CRC-32C of bytes changes by with a number before the last `bytes_behind`: CRCs are linear.
template <class Number>
FLOE_HD std::uint32_t crc_change(Number change, std::size_t bytes_behind) {
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < sizeof(Number) + bytes_behind; ++i) {
    if (i < sizeof(Number)) crc ^= static_cast<std::uint8_t>(change >> 8 * i);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? core::crc32c_polynomial : 0u);
  }
  return crc;
}

/// Adds to a number of a header, and changes the header's CRC accordingly.
FLOE_HD inline void add_to_number(std::uint8_t* header, std::size_t offset, std::uint64_t step) {
  auto& number = number_at<std::uint64_t>(header + offset);
  const std::uint64_t change = number ^ (number + step);
  number += step;
  number_at<std::uint32_t>(header + crc_at) ^= crc_change(change, crc_at - offset - 8);
}

/// A header whose CRC is wrong keeps a wrong one, and the opposite change brings all bytes back.
FLOE_HD inline void patch_segment(const PatchJob& job, std::uint32_t segment) {
  const std::uint64_t frame_bytes = job.result != nullptr ? job.result->bytes : job.frame_bytes;
  const std::uint64_t footer_offset = frame_bytes - container::footer_bytes(job.segment_count);
  const auto offset = number_at<std::uint64_t>(job.frame + footer_offset + container::footer_at::index +
                                               container::index_entry_bytes * segment);
  if (offset % container::alignment != 0 || offset > footer_offset ||
      footer_offset - offset < container::array_segment_header_bytes)
    return;  // a footer that is damaged
  std::uint8_t* const header = job.frame + offset;
  if (job.facts != nullptr)
    job.facts[segment] = {
        offset, number_at<std::uint64_t>(header + container::array_stream_at + container::stream_at::digest)};
  add_to_number(header, container::segment_at::index, job.index_step);
  add_to_number(header, container::segment_at::first, job.first_step);
  number_at<std::uint32_t>(header + container::segment_at::header_crc) ^= job.header_crc_change;
  number_at<std::uint32_t>(header + crc_at) ^=
      crc_change(job.header_crc_change, crc_at - container::segment_at::header_crc - 4);
}

/// Patches all segments on a device, if the part could be compressed. Errors: device_error.
Status patch_segment_headers(const PatchJob& job, cudaStream_t stream);

inline constexpr std::uint64_t granule = 256;  ///< Of positions in the workspace.
/// Facts of segments follow the result at once, so that nothing is published that nobody wrote.
inline constexpr std::uint64_t facts_offset = sizeof(cuda::ItemResult);
static_assert(facts_offset % alignof(SegmentFacts) == 0);

/// What all parts of an array have in common. A part becomes a frame of its own, of one dimension.
class PartRules {
 public:
  PartRules(container::Header header, std::string tree);

  [[nodiscard]] const container::Header& header() const { return header_; }
  [[nodiscard]] const std::string& tree() const { return tree_; }
  [[nodiscard]] DType dtype() const { return header_.dtype; }
  [[nodiscard]] std::uint64_t segment_bytes() const { return header_.max_segment_length * size_of(dtype()); }
  [[nodiscard]] std::uint64_t segment_count(std::uint64_t bytes) const {
    return core::divide_up(bytes, segment_bytes());
  }
  /// That make a GPU write the frame of a part. They refer to the tree.
  [[nodiscard]] Options options() const;
  [[nodiscard]] cuda::FrameKind frame_kind() const;
  [[nodiscard]] std::uint64_t own_header_bytes() const { return own_header_bytes_; }
  /// The CRC of the header of a part's frame, XOR that of the whole frame.
  [[nodiscard]] std::uint32_t header_crc_change() const { return header_crc_change_; }
  [[nodiscard]] std::uint32_t header_crc() const { return header_crc_; }

 private:
  container::Header header_;
  std::string tree_;
  std::uint64_t own_header_bytes_;
  std::uint32_t header_crc_, header_crc_change_;
};

/// Errors: invalid_argument, unsupported_codec.
Result<PartRules> rules_of(DType dtype, const Extent& extent, const Options& options);
/// Those by which such a frame came about. Errors: those of a header.
Result<PartRules> rules_of(const cuda::PartedFrame& frame);

/// Where things lie in a part's workspace. Before `result`: the kernels' workspace.
struct PartLayout {
  std::uint64_t result = 0, facts = 0, end = 0;
};
Result<PartLayout> layout_of(const PartRules& rules, std::uint64_t bytes);

/// Memory of the host to which a stream copies: the caller's, or our own, which is not pinned.
class HostMemory {
 public:
  HostMemory(const cuda::Workspace& given, std::uint64_t bytes)
      : own_(given.data == nullptr ? core::divide_up(bytes, 8) : 0),
        words_(given.data == nullptr ? own_.data() : static_cast<std::uint64_t*>(given.data)) {}
  HostMemory(HostMemory&&) noexcept = default;

  [[nodiscard]] std::uint64_t* words() const { return words_; }

 private:
  std::vector<std::uint64_t> own_;
  std::uint64_t* words_;
};

/// What the host must know of a part: an ItemResult, and the facts of its segments.
inline std::uint64_t published_bytes(std::uint64_t segment_count) {
  return facts_offset + sizeof(SegmentFacts) * segment_count;
}

/// One part in work. What its GPU publishes can be read when the stream has been waited for.
struct PartJob {
  const cuda::ArrayPart& part;
  PartLayout layout;
  std::uint64_t segment_count, first_segment;
  HostMemory published;

  [[nodiscard]] std::uint8_t* workspace() const { return static_cast<std::uint8_t*>(part.workspace.data); }
  [[nodiscard]] cuda::ItemResult* device_result() const {
    return reinterpret_cast<cuda::ItemResult*>(workspace() + layout.result);
  }
  [[nodiscard]] SegmentFacts* device_facts() const {
    return reinterpret_cast<SegmentFacts*>(workspace() + layout.facts);
  }
  [[nodiscard]] cuda::ItemResult result() const;
  [[nodiscard]] std::span<const SegmentFacts> facts() const {
    return {reinterpret_cast<const SegmentFacts*>(published.words() + facts_offset / 8), segment_count};
  }
};

/// The parts of this process.
struct PartsPlan {
  PartRules rules;
  std::vector<PartJob> jobs;

  /// `is_last`: of the whole array.
  Status add_part(const cuda::ArrayPart& part, std::uint64_t first_segment, bool is_last);
};

// Steps of the work on a part. Its GPU is the current one.

/// Compresses a part to a frame of its own.
Status enqueue_compression(const PartRules& rules, const PartJob& job);
/// Makes segments of the whole array's frame of those of its own, and writes their facts to its workspace.
Status enqueue_facts(const PartRules& rules, const PartJob& job);
/// Copies the result to the host, or as many bytes as published_bytes() says: then the facts, too.
Status publish(const PartJob& job, std::uint64_t bytes = sizeof(cuda::ItemResult));

/// Makes a part a frame of its own, and decodes it. Whatever comes of that, enqueue_restoring must follow.
Status enqueue_decompression(const PartRules& rules, const PartJob& job, const cuda::FramePart& range);
/// Makes it a part of the whole array's frame again.
Status enqueue_restoring(const PartRules& rules, const PartJob& job, const cuda::FramePart& range);
/// What became of decoding, when the result was published.
Status decoding_result(const PartJob& job, const cuda::FramePart& range);

Status wait_for(const PartJob& job);

/// A frame that grows part by part.
class FrameOfParts {
 public:
  explicit FrameOfParts(const PartRules& rules);

  /// Appends a part of `content_bytes` bytes of elements: what became of it, and of its segments.
  Status append(std::uint64_t content_bytes, const cuda::ItemResult& result,
                std::span<const SegmentFacts> segments);
  /// Where the part that was appended last belongs.
  [[nodiscard]] const cuda::FramePart& last() const { return frame_.parts.back(); }
  /// The frame with its footer; then the object is empty.
  cuda::PartedFrame finish(const Extent& extent);

 private:
  const PartRules& rules_;
  cuda::PartedFrame frame_;
  container::Footer footer_;
  core::Digest digest_;
};

}  // namespace floe::gpu
