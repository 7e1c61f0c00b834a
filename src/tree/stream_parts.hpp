// The parts of an encoded stream, and their trees: docs/format/trees.md, "Layout".
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/memory_budget.hpp"
#include "floe/floe.hpp"
#include "tree/plan.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

inline constexpr std::uint64_t max_stream_parts = 1024;

/// What stands before the body of a part. In compact frames short parts have no zero bytes there.
enum class Alignment : std::uint8_t { usual, compact };

/// A part of a stream, and its tree.
struct StreamPart {
  std::uint64_t count = 0;
  Plan plan;
  std::uint64_t stored_bytes = 0;  ///< With the plan; only of parts_of().
};

/// Parts as they are written: plans that came before are referred to.
class PartWriter {
 public:
  /// About so many `bytes` in all.
  explicit PartWriter(std::size_t part_count, std::uint64_t bytes = 0, Alignment alignment = Alignment::usual)
      : parts_left_(part_count), alignment_(alignment) {
    bytes_.reserve(static_cast<std::size_t>(bytes));
    bytes_.put_varint(part_count);
  }
  void put(std::uint64_t count, const EncodedTree& tree);
  /// Only what stands before the body.
  void put_front(std::uint64_t count, const EncodedTree& tree);
  std::vector<std::uint8_t> release() { return bytes_.release(); }

 private:
  std::size_t parts_left_;
  Alignment alignment_;
  ByteWriter bytes_;
  std::vector<Plan> plans_;
};

/// The parts of a stream of `count` words. Errors: corrupt_frame, unsupported_version.
Result<std::vector<StreamPart>> parts_of(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count,
                                         Alignment alignment = Alignment::usual);
/// Moves from behind a plan in a stream to the body of its tree. False if that contradicts the format.
bool find_body(ByteReader& reader, const Plan& plan);
/// The plan of the first part. Errors: corrupt_frame, unsupported_version.
Result<Plan> plan_of(std::span<const std::uint8_t> bytes, DType type);

/// Decodes a stream: writes `count` words to `out`, which is aligned for them. Needs memory for the nodes of
/// its trees, whatever the bytes claim. Thread-safe. Errors: corrupt_frame, unsupported_version,
/// out_of_memory; the contents of `out` are then unspecified.
Status decode_stream(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count, void* out);
/// Decodes a stream of a compact frame; as decode_stream.
Status decode_compact_stream(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count, void* out,
                             core::MemoryBudget* budget = nullptr);
/// Decodes the words of a slice, which lies within the stream. What comes before them is passed over: at the
/// cost of the block that they are in, where the trees have blocks. Sources are made in `scratch` as far as
/// they fit. Trees take no more than is in the budget, if there is one.
Status decode_slice(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count, Slice slice,
                    void* out, std::span<std::byte> scratch = {}, core::MemoryBudget* budget = nullptr);

}  // namespace floe::trees
