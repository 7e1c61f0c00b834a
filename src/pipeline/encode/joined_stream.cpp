#include "pipeline/encode/joined_stream.hpp"

#include <algorithm>

#include "container/layout.hpp"
#include "plan/matches/repetition_sample.hpp"

namespace floe::pipeline {
namespace {

/// The bytes of a position that are compared first.
constexpr std::uint64_t key_bytes = 8;
/// What matches of other segments must save at least, as a part of all that the words around the anchors
/// take.
constexpr std::uint64_t min_saved_part = 16;
/// First, such a part of all words is looked at, where as much of what they save shows.
constexpr std::uint64_t scanned_part = 8;

}  // namespace

Result<bool> join_segments(std::vector<StreamJob>& segments, StreamCoder& coder, GroupEncoder& encoder) {
  const StreamJob& first = segments[0];
  StreamJob job;
  job.coder = &coder;
  job.words = {first.words.type, first.words.values, 0};
  job.compares_codecs = first.compares_codecs;
  job.wants_range = first.wants_range;
  std::uint64_t known_bytes = 0;
  for (const StreamJob& segment : segments) {
    job.words.count += segment.words.count;
    known_bytes += container::array_segment_header_bytes + segment.stream_bytes();
  }
  const std::uint64_t bits = std::max<std::uint64_t>(known_bytes * 8 * 256 / job.words.count, 1),
                      all = trees::repetition_anchors * bits;
  const auto saves_enough = [&](std::uint64_t part) {
    return trees::saved_by_repetitions<key_bytes>(job.words, bits, part, first.words.count) >=
           all / min_saved_part / part;
  };
  if (!saves_enough(scanned_part) || !saves_enough(1)) return false;
  if (const Status status = encoder.encode({&job, 1}); !status.ok()) return status;
  if (container::array_segment_header_bytes + job.stream_bytes() >= known_bytes) return false;
  segments.clear();
  segments.push_back(std::move(job));
  return true;
}

}  // namespace floe::pipeline
