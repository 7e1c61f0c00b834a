// One frame of an array whose parts are compressed apart: by the processes of a cluster, say, that know
// nothing of each other but sizes. floe::mpi does so with MPI.
//
//   1. Everybody creates the same PartedArray, and compresses the parts that it has.
//   2. Sizes are added up: a part lies behind the header and the bytes of all parts before it.
//   3. Everybody places its parts, and writes their bytes where they belong.
//   4. One writes the header, and, with the PlacedSegments of all, the footer.
#pragma once

#include "floe/floe.hpp"

#pragma GCC visibility push(default)

namespace floe {

/// A part of an array, compressed: its segments, one behind the other.
struct CompressedPart {
  std::vector<std::byte> bytes;
  std::uint64_t element_count = 0;
  std::uint64_t segment_count = 0;
};

/// What is before a part in the whole.
struct PartPlace {
  std::uint64_t offset = 0;  ///< Bytes of the frame: of its header, and of all parts before.
  std::uint64_t first_element = 0;
  std::uint64_t first_segment = 0;
};

/// What the footer needs of a segment.
struct PlacedSegment {
  std::uint64_t offset = 0;  ///< In the frame.
  std::uint64_t first_element = 0;
  std::uint64_t digest = 0;
};

/// An array that is compressed in parts. With a tree or a codec the frame is that of compress(). With a goal
/// trees are chosen for each part by itself, so the parts, and nothing else, decide about the bytes: for one
/// part it is that of compress(). Movable. Thread-safe.
class PartedArray {
 public:
  /// Everybody gives the same arguments. The options, with what they point to, must outlive it; on_segment
  /// and the accelerator are not used. Errors: those of compress().
  static Result<PartedArray> create(DType dtype, const Extent& extent, const Options& options = {});
  PartedArray(PartedArray&&) noexcept;
  PartedArray& operator=(PartedArray&&) noexcept;
  ~PartedArray();

  /// The first bytes of the frame.
  [[nodiscard]] std::span<const std::byte> header() const noexcept;
  /// Every part but the last one has a multiple of so many elements, of at most 1 GiB.
  [[nodiscard]] std::uint64_t unit() const noexcept;
  /// The elements of a part, wherever it lies. Errors: invalid_argument, out_of_memory.
  [[nodiscard]] Result<CompressedPart> compress(std::span<const std::byte> elements) const;
  /// Writes into the heads of a part's segments where they are, and says it. A part can be placed again.
  /// Errors: invalid_argument if it is no part of such an array, out_of_memory.
  [[nodiscard]] Result<std::vector<PlacedSegment>> place(CompressedPart& part, const PartPlace& where) const;
  /// The last bytes of the frame. `segments`: all of them in their order. Errors: invalid_argument,
  /// out_of_memory.
  [[nodiscard]] Result<std::vector<std::byte>> footer(std::span<const PlacedSegment> segments) const;

 private:
  struct State;
  explicit PartedArray(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace floe

#pragma GCC visibility pop
