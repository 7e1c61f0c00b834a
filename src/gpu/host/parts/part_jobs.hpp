// What is done with a part of an array in the memory of a GPU, of one process (parts.cpp) or several
// (ranks.cpp).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "container/footer.hpp"
#include "core/bits.hpp"
#include "core/digest.hpp"
#include "floe/cuda_host.hpp"
#include "gpu/host/calls.hpp"
#include "gpu/host/parts/patch_segment_headers.hpp"

namespace floe::gpu {

inline constexpr std::uint64_t granule = 256;  ///< Of places in the workspace.

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
  return granule + sizeof(SegmentFacts) * segment_count;
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
    return {reinterpret_cast<const SegmentFacts*>(published.words() + granule / 8), segment_count};
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
  /// The frame with its footer; then the object is empty.
  cuda::PartedFrame finish(const Extent& extent);

 private:
  const PartRules& rules_;
  cuda::PartedFrame frame_;
  container::Footer footer_;
  core::Digest digest_;
};

}  // namespace floe::gpu
