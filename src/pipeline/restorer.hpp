// Segments of a frame back to the bytes that were compressed, in their order: groups of them are decoded side
// by side.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "container/segment.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"
#include "pipeline/stored_stream.hpp"
#include "pipeline/table_printer.hpp"

namespace floe::pipeline {

/// For one thread. Throws std::bad_alloc.
class Restorer {
 public:
  /// The header, the options and the sink must outlive it.
  Restorer(const container::Header& header, const DecodeOptions& options, const Sink& sink)
      : header_(header), options_(options), sink_(sink), workers_(options.threads, options.executor) {}

  /// Takes the next segment and what is stored of it, which begins at `payload_offset` in the frame. Errors:
  /// corrupt_frame, out_of_memory, those of the sink, of this segment or one before.
  Status add(container::SegmentHeader segment, std::vector<std::uint8_t> payload,
             std::uint64_t payload_offset);
  /// Delivers all segments. Errors: as add.
  Status finish();

 private:
  /// A segment that waits for others of its group.
  struct Waiting {
    container::SegmentHeader segment;
    std::vector<std::uint8_t> payload;
    DecodedSegment decoded;
    std::size_t first_stream = 0, stream_count = 0;  ///< In streams_.
  };

  Status check_memory(const container::SegmentHeader& segment, std::uint64_t payload_bytes,
                      std::uint64_t& needed) const;
  void open(Waiting& waiting, std::uint64_t payload_offset);

  const container::Header& header_;
  const DecodeOptions& options_;
  const Sink& sink_;
  core::Workers workers_;
  std::list<Waiting> waiting_;
  std::vector<StoredStream> streams_;
  std::uint64_t waiting_bytes_ = 0;
};

}  // namespace floe::pipeline
