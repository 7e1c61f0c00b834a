// How do segments go through a StreamDecoder? Several at a time, as a batch; while it decodes one batch, another one is printed.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <span>
#include <vector>

#include "pipeline/tables/segment_decoder.hpp"

namespace floe::tables {

class BatchDecoder {
 public:
  BatchDecoder(const SegmentDecoder& segments, const DecodeOptions& options, StreamDecoder& streams)
      : segments_(segments), options_(options), streams_(streams) {}
  BatchDecoder(const BatchDecoder&) = delete;
  BatchDecoder& operator=(const BatchDecoder&) = delete;
  ~BatchDecoder() { forget(); }

  /// Takes the next segment, whose payload lies at `offset` in the table, and calls `sink` with the bytes of segments that are complete.
  /// Errors: as SegmentDecoder::decode, with the place in the table; those of the StreamDecoder. Throws std::bad_alloc.
  Status add(const SegmentHead& head, std::vector<std::uint8_t> payload, std::uint64_t offset, const Sink& sink);
  /// Delivers all segments; none if one could not be delivered before.
  Status finish(const Sink& sink);

 private:
  struct Segment {
    SegmentHead head;
    std::vector<std::uint8_t> payload;
    std::uint64_t offset = 0;
    DecodedSegment decoded;
  };
  struct Batch {
    std::deque<Segment> segments;
    std::vector<EncodedStream> streams;  ///< Of all segments, in their order.
    std::uint64_t bytes = 0;
  };

  Status begin_batch();
  Status finish_batch(const Sink& sink);
  Status print_batch(Batch& batch, const Sink& sink) const;
  void forget();

  const SegmentDecoder& segments_;
  DecodeOptions options_;
  StreamDecoder& streams_;
  std::list<Batch> filling_ = std::list<Batch>(1);  ///< A single one.
  std::list<Batch> begun_;                          ///< What was begun finds its place here without memory.
};

}  // namespace floe::tables
