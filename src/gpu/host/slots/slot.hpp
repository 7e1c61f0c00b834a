// What a device must be able to do so that batches of streams can be sent through it. Knows no CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "floe/floe.hpp"

namespace floe::gpu {

/// A part of a slot's memory on the device: that for input, or that for output.
struct Range {
  std::uint64_t offset = 0, bytes = 0;
  [[nodiscard]] std::uint64_t end() const { return offset + bytes; }
};

struct CopyIn {
  const void* from = nullptr;  ///< Unchanged until the results are there.
  Range to;
};
struct CopyOut {
  Range from;
  void* to = nullptr;
};

/// A frame of one segment, without a prefix, and the elements in it.
struct FrameTask {
  Range in, out;
};

/// What is longer is bytes of texts, of which a single multiprocessor would have too much.
inline constexpr std::uint64_t max_stream_words = std::uint64_t{1} << 20;
/// Bytes that an encoded stream of a column may have beyond those of its words.
inline constexpr std::uint64_t max_stream_overhead = 768;

/// Streams with as many words of the same type, to encode with the same tree.
struct ColumnTask {
  DType type = DType::u8;
  std::string tree;  ///< Encoding only.
  std::uint64_t words = 0;
  std::size_t streams = 0;
  Range in;   ///< Encoding: words, stream by stream. Decoding: see Task::stored.
  Range out;  ///< Decoding: words, stream by stream. Encoding: with max_stream_overhead for each.
};

/// What a device does at once. Its results are those of the frames, then those of the streams of the columns.
struct Task {
  bool encodes = true;
  std::uint64_t in_bytes = 0, out_bytes = 0;
  DType frame_type = DType::u8;  ///< Of all frames,
  Options frame_options;         ///< and their tree, checksum and segment_bytes.
  std::vector<FrameTask> frames;
  std::vector<ColumnTask> columns;
  std::vector<Range> stored;  ///< Decoding: where the streams of the columns are in the input.
};

/// A device's memory for one task. All calls but those that wait return at once. For one thread at a time, in
/// the order in which they stand here. Errors of all: device_error, out_of_memory.
class Slot {
 public:
  virtual ~Slot() = default;
  /// Whether the device can encode such a stream, and if it is a codec, decode it.
  [[nodiscard]] virtual bool supports(DType type, std::uint64_t count, const std::string& tree) const = 0;
  /// Whether it can read and write this memory of the host by itself, so that it need not be staged.
  [[nodiscard]] virtual bool reaches(const void* memory, std::uint64_t bytes) const = 0;
  /// Memory of the host that it reaches, for what start() copies. The contents get lost when it grows.
  virtual Result<std::uint8_t*> staging(std::uint64_t bytes) = 0;
  virtual Status start(const Task& task, std::span<const CopyIn> copies) = 0;
  /// Where in the output the results are; nothing for streams that were not coded. Valid until the next task.
  virtual Result<std::span<const Range>> wait_for_results() = 0;
  /// Memory of the host that it reaches, for what fetch() copies.
  virtual Result<std::uint8_t*> result_memory(std::uint64_t bytes) = 0;
  /// Copies when the task is done; returns at once if it reaches all the memory that it copies to.
  virtual Status fetch(std::span<const CopyOut> copies) = 0;
  virtual Status wait_for_fetch() = 0;
  /// Waits for everything, whatever has failed.
  virtual void settle() noexcept = 0;
};

}  // namespace floe::gpu
