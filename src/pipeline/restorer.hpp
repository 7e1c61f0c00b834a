// Segments of a frame back to the bytes that were compressed, in their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "container/parts.hpp"
#include "core/buffer.hpp"
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
  /// Memory of a payload that was delivered, for the next one; empty if there is none.
  std::vector<std::uint8_t> take_payload_memory();
  /// Delivers all segments. Errors: as add.
  Status finish() { return groups_.finish(); }

 private:
  struct Waiting;
  Status deliver(Waiting& segment, std::span<const StoredStream> streams, std::uint64_t payload_offset);
  void keep_memory(Waiting& segment);

  const container::Header& header_;
  const DecodeOptions& options_;
  const Sink& sink_;
  core::Workers workers_;
  // Of segments that were delivered: new memory costs more than what is decoded into it.
  std::vector<std::vector<std::uint8_t>> free_payloads_;
  std::vector<core::Buffer> free_words_;
  GroupDecoder groups_;
};

}  // namespace floe::pipeline
