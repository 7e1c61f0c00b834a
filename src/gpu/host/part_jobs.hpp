// What is done with a part of an array that lies in the memory of a GPU, and how do parts become one frame?
// For parts of one process (parts.cpp) and of several (ranks.cpp).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "container/footer.hpp"
#include "container/frame_plan.hpp"
#include "floe/cuda_parts.hpp"
#include "gpu/host/tie_segments.hpp"
#include "gpu/offload/portion_rules.hpp"

namespace floe::gpu {

inline constexpr std::uint64_t granule = 256;  ///< Of places in the workspace.

inline Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

/// Where things lie in a part's workspace.
struct PartLayout {
  std::uint64_t
      result = 0,
      facts = 0,
      end = 0;  ///< The offsets of segments follow the facts. Before `result`: the kernels' workspace.
};

Result<PartLayout> layout_of(std::uint64_t bytes, std::uint64_t segment_bytes, DType dtype,
                             std::string_view codec);

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

/// Bytes of the facts of a part and of the offsets of its segments.
inline std::uint64_t facts_bytes(std::uint64_t segment_count) {
  return sizeof(PartFacts) + 8 * segment_count;
}

/// One part in work. What its GPU tells the host can be read when the stream has been waited for.
struct PartJob {
  const cuda::ArrayPart& part;
  PartLayout layout;
  std::uint64_t segment_count, first_segment;
  HostMemory told;

  [[nodiscard]] std::uint8_t* workspace() const { return static_cast<std::uint8_t*>(part.workspace.data); }
  [[nodiscard]] cuda::ItemResult* result() const {
    return reinterpret_cast<cuda::ItemResult*>(workspace() + layout.result);
  }
  [[nodiscard]] std::uint8_t* facts() const { return workspace() + layout.facts; }
  [[nodiscard]] PartFacts* device_facts() const { return reinterpret_cast<PartFacts*>(facts()); }
  [[nodiscard]] std::uint64_t* device_offsets() const {
    return reinterpret_cast<std::uint64_t*>(facts() + sizeof(PartFacts));
  }

  [[nodiscard]] PartFacts told_facts() const;
  [[nodiscard]] std::span<const std::uint64_t> told_offsets() const {
    return {told.words() + sizeof(PartFacts) / 8, segment_count};
  }
};

/// What is the same for all parts of an array, and the parts of this process.
struct PartsPlan {
  api::FramePlan frame;
  offload::PortionRules rules;
  std::vector<PartJob> jobs;

  explicit PartsPlan(api::FramePlan plan) : frame(std::move(plan)), rules(frame) {}

  /// `is_last`: of the whole array.
  Status add_part(const cuda::ArrayPart& part, std::uint64_t first_segment, bool is_last);

  /// The exchange of numbers and CRCs in the heads of a part; the caller adds what it knows of the part's own
  /// frame.
  [[nodiscard]] TieJob tie(const PartJob& job, bool to_whole_frame) const;
};

/// The plan by which such a frame came about, without parts. Errors: those of a header.
Result<PartsPlan> plan_of(const cuda::PartedFrame& frame);

// Steps of the work on a part. Its GPU is the current one.

/// Compresses a part to a frame of its own.
Status enqueue_compression(const PartsPlan& plan, const PartJob& job);
/// Makes segments of the whole array's frame of those of its own, and writes its facts and their offsets to
/// its workspace.
Status enqueue_facts(const PartsPlan& plan, const PartJob& job);
/// With history, the chunks of a part have numbers only when those of all parts before are known: then it
/// adds up its digest, to its facts. The part has told them.
Status enqueue_digest(const PartsPlan& plan, const PartJob& job, std::uint64_t first_chunk);
/// Copies facts and offsets to the host.
Status tell_facts(const PartJob& job);

/// Makes a part a frame of its own, and decodes it. Whatever comes of that, enqueue_restoring must follow.
Status enqueue_decompression(const PartsPlan& plan, const PartJob& job, const cuda::FramePart& place);
/// Makes it a part of the whole array's frame again.
Status enqueue_restoring(const PartsPlan& plan, const PartJob& job, const cuda::FramePart& place);
/// Copies what became of decoding to the host.
Status tell_result(const PartJob& job);
/// That result. The part has told it.
Status decoding_result(const PartJob& job, const cuda::FramePart& place);

Status wait_for(const PartJob& job);

/// A frame that grows part by part.
class FrameOfParts {
 public:
  FrameOfParts(const PartsPlan& plan, DType dtype);

  /// Appends a part of `content_bytes` bytes of elements. `offsets` are those of its segments in its own
  /// frame.
  Status append(std::uint64_t content_bytes, const PartFacts& facts, std::span<const std::uint64_t> offsets);
  [[nodiscard]] std::uint64_t chunks() const { return chunks_; }  ///< Of all parts so far.
  void add_digest(std::uint64_t digest) { footer_.digest += digest; }
  /// The frame with its footer; then the object is empty.
  cuda::PartedFrame finish(const Extent& extent);

 private:
  const offload::PortionRules& rules_;
  cuda::PartedFrame frame_;
  format::Footer footer_;
  std::uint64_t chunks_ = 0;
};

}  // namespace floe::gpu
