#include "pipeline/encode/leaf_streams.hpp"

#include <algorithm>

#include "chunks/leaf_encoder.hpp"
#include "container/layout.hpp"

namespace floe::pipeline {
namespace {

std::span<const std::uint8_t> bytes_of(const trees::ColumnView& words) {
  return {static_cast<const std::uint8_t*>(words.values), static_cast<std::size_t>(words.bytes())};
}

}  // namespace

std::optional<chunks::Leaf> leaf_of(const trees::Plan& plan) {
  if (plan.nodes.size() != 1 || plan.nodes[0].encoding != trees::EncodingId::codec) return std::nullopt;
  const auto [codec, dimensionality] = plan.nodes[0].parameters;
  return chunks::Leaf{registry::find_codec(static_cast<std::uint16_t>(codec)), dimensionality};
}

std::optional<chunks::Leaf> find_better_codec(const trees::ColumnView& words, std::uint64_t limit) {
  std::optional<chunks::Leaf> best;
  std::uint64_t min_bytes = ~std::uint64_t{0};
  for (const registry::CodecEntry& codec : registry::all_codecs()) {
    if (codec.word_bits != 8 * size_of(words.type) || codec.has_history) continue;
    const chunks::Leaf leaf{&codec, 1};
    // Few chunks often say that it is far from better.
    const chunks::LeafEstimate first = chunks::estimate_leaf(leaf, bytes_of(words), 32, 4);
    const std::uint64_t error_of_few = std::max(first.error, first.bytes / min_error_part);
    if (first.bytes - std::min(first.bytes, error_of_few) >= limit) continue;
    for (const std::size_t step : {std::size_t{8}, std::size_t{3}}) {
      const chunks::LeafEstimate estimate = chunks::estimate_leaf(leaf, bytes_of(words), step);
      const std::uint64_t error = std::min(estimate.error, estimate.bytes / max_error_part);
      if (estimate.bytes - error >= limit) break;
      if (step != 3 || estimate.bytes >= min_bytes) continue;
      best = leaf;
      min_bytes = estimate.bytes;
    }
  }
  return best;
}

void encode_leaf(const chunks::Leaf& leaf, bool checksum, StreamJob& job, FrameRoom* room) {
  core::Workers this_thread(1, nullptr);
  chunks::LeafEncoder encoder(leaf, checksum, this_thread);
  const bool is_next = room != nullptr && room->next == &job;
  const auto encoded = encoder.encode(bytes_of(job.words), container::array_segment_header_bytes,
                                      is_next ? room->left : std::span<std::uint8_t>{});
  const auto stream = encoded.subspan(container::array_segment_header_bytes);
  job.digest = encoder.digest();
  const bool is_in_room = is_next && encoded.data() == room->left.data();
  if (is_in_room && !room->take(job, stream.size()).empty()) return;
  job.bytes = core::take_spare_vector(stream.size());
  job.bytes.assign(stream.begin(), stream.end());
}

void try_fast_codecs(bool checksum, StreamJob& job) {
  for (const registry::CodecEntry& codec : registry::all_codecs()) {
    if (codec.word_bits != 8 * size_of(job.words.type) || codec.has_history) continue;
    StreamJob other{job.coder, job.words};
    encode_leaf({&codec, 1}, checksum, other);
    if (other.bytes.size() >= job.bytes.size()) continue;
    job.bytes = std::move(other.bytes);
    job.digest = other.digest;
  }
}

void add_digest(StreamJob& job, bool checksums) {
  const std::size_t stored = job.bytes.size();
  job.bytes.resize(static_cast<std::size_t>(chunks::padded(stored)));  // digests are of padded bytes
  job.digest = chunks::digest_of_bytes(std::span<const std::uint8_t>(job.bytes).first(stored), checksums);
  job.bytes.resize(stored);
}

}  // namespace floe::pipeline
