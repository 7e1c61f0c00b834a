// Stored streams back to words, many side by side, by threads and by an accelerator. What is stored is
// checked before it is decoded.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "container/parts.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"

namespace floe::pipeline {

/// Streams of codecs that are as long are decoded one after the other, by all threads.
inline constexpr std::uint64_t long_stream_bytes = std::uint64_t{4} << 20;

struct StoredStream {
  container::StreamEntry entry;
  std::span<const std::uint8_t> bytes;  ///< With its padding.
  std::uint64_t frame_offset = 0;       ///< Of the bytes.
  void* words = nullptr;        ///< Room for those of the slice, aligned unless the stream is a codec.
  Status status;                ///< What became of it.
  Slice slice{0, entry.count};  ///< What is decoded.
  /// The words lie right behind those of the stream that was added before, in the same piece of memory, and
  /// the bytes behind those of that stream.
  bool follows = false;

  [[nodiscard]] bool is_whole() const noexcept { return slice.count == entry.count; }
};

/// Decodes segments, and delivers them in the order in which they came. Some of them make a group, which is
/// decoded side by side; with an accelerator several groups are under way. For one thread. Throws
/// std::bad_alloc.
class GroupDecoder {
 public:
  /// Gets the streams of a segment that was decoded, and owns their memory.
  using Deliver = std::function<Status(std::span<const StoredStream>)>;

  /// The options and the workers must outlive it. `written_bytes`: how much will have been written before any
  /// of it is used, if that is known.
  GroupDecoder(bool checksums, const DecodeOptions& options, core::Workers& workers,
               std::uint64_t written_bytes = 0);
  GroupDecoder(const GroupDecoder&) = delete;
  GroupDecoder& operator=(const GroupDecoder&) = delete;

  /// Delivers segments until so many bytes fit the memory limit, which belong to the segment that is added
  /// next. Errors: out_of_memory if they never fit; as finish().
  Status reserve(std::uint64_t bytes);
  /// Takes the next segment. Errors: as finish().
  Status add(std::vector<StoredStream> streams, Deliver deliver);
  /// Delivers all segments, up to the first one that is damaged. Errors: corrupt_frame, out_of_memory, those
  /// of the accelerator and of delivery; all later calls return the first one.
  Status finish();

 private:
  struct Segment {
    std::size_t first_stream = 0, stream_count = 0;
    Deliver deliver;
  };
  struct Group {
    std::vector<Segment> segments;
    std::vector<StoredStream> streams;
    std::uint64_t words_bytes = 0;
    std::uint64_t reserved_bytes = 0;      ///< For what its segments own, and for the accelerator.
    std::vector<StreamToDecode> given;     ///< To the accelerator,
    std::vector<std::size_t> given_index;  ///< and which streams these are.
    std::unique_ptr<Accelerator::Batch> batch;
  };

  template <class Step>
  Status run(const Step& step);
  Status begin();
  Status accelerate(Group& group);
  Status deliver_oldest();
  Status decode(Group& group);
  void decode_by_threads(Group& group, const std::vector<bool>& is_done);
  [[nodiscard]] bool is_room_for(std::uint64_t bytes) const;

  bool checksums_;
  const DecodeOptions& options_;
  core::Workers& workers_;
  Executor executor_;
  std::uint64_t written_bytes_;
  std::uint64_t group_bytes_;  ///< Of words.
  std::size_t groups_at_once_;
  std::deque<Group> groups_;  ///< That are under way.
  Group filling_;
  std::uint64_t reserved_bytes_ = 0;  ///< Of all groups.
  Status failure_;
};

}  // namespace floe::pipeline
