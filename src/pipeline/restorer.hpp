// Segments of a frame back to the bytes that were compressed, in their order.
#pragma once

#include <cstdint>
#include <vector>

#include "container/parts.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"
#include "pipeline/group_decoder.hpp"

namespace floe::pipeline {

/// For one thread. Throws std::bad_alloc.
class Restorer {
 public:
  /// The header, the options and the sink must outlive it.
  Restorer(const container::Header& header, const DecodeOptions& options, const Sink& sink)
      : header_(header),
        options_(options),
        sink_(sink),
        workers_(options.threads, options.executor),
        groups_(header.checksums, options_, workers_) {}

  /// Takes the next segment and what is stored of it, which begins at `payload_offset` in the frame. Errors:
  /// corrupt_frame, out_of_memory, those of the sink, of this segment or one before.
  Status add(container::SegmentHeader segment, std::vector<std::uint8_t> payload,
             std::uint64_t payload_offset);
  /// Delivers all segments. Errors: as add.
  Status finish() { return groups_.finish(); }

 private:
  struct Waiting;
  Status deliver(Waiting& segment, std::uint64_t payload_offset);

  const container::Header& header_;
  const DecodeOptions& options_;
  const Sink& sink_;
  core::Workers workers_;
  GroupDecoder groups_;
};

}  // namespace floe::pipeline
