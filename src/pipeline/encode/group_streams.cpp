// The bytes of the streams of a group and their digests, where they belong in the frame if that is known.
#include <algorithm>
#include <optional>

#include "chunks/leaf.hpp"
#include "chunks/leaf_encoder.hpp"
#include "core/chunk.hpp"
#include "pipeline/encode/group.hpp"
#include "pipeline/encode/leaf_streams.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {

void GroupEncoder::Group::finish_streams() {
  std::vector<Work*> left;
  for (Work& work : works_) {
    if (room_ == nullptr) {
      if (!has_bytes(work)) left.push_back(&work);
      continue;
    }
    finish(work);
    move_to_room(*work.job);
  }
  encoder_.for_each(left.size(), [&](std::size_t i, trees::Scratch&) { finish(*left[i]); });
}

bool GroupEncoder::Group::has_bytes(const Work& work) {
  return work.is_finished || work.job->words.count == 0 ||
         (work.is_encoded && work.parts[0].tree.body.size() == 0);
}

std::uint64_t GroupEncoder::Group::written_bytes(std::span<const PartJob> parts) {
  constexpr std::uint64_t length_bytes = 4;  // or fewer
  std::uint64_t bytes = 0;
  for (const PartJob& part : parts)
    bytes += part.tree.body.size() + trees::written_bytes(part.tree.plan) + length_bytes;
  return bytes;
}

bool GroupEncoder::Group::are_codecs_larger(std::span<const PartJob> parts, std::uint64_t tree_bytes) {
  std::uint64_t bytes = 0;
  for (const PartJob& part : parts) {
    if (!part.codec_bytes) return false;
    // Of fewer chunks, four are looked at.
    const bool is_every_eighth = part.words.bytes() >= 8 * 4 * core::chunk_bytes;
    bytes += *part.codec_bytes - *part.codec_bytes / (is_every_eighth ? max_error_part : min_error_part);
  }
  return bytes >= tree_bytes;
}

void GroupEncoder::Group::finish(Work& work) {
  StreamJob& job = *work.job;
  const bool checksum = encoder_.options_.checksum;
  if (has_bytes(work)) return;
  job.is_placed = false;
  std::optional<chunks::Leaf> leaf;
  if (work.parts.size() == 1)
    leaf = leaf_of(work.coder->knows_trees() ? known_plan(work) : work.parts[0].tree.plan);
  const std::uint64_t tree_bytes = written_bytes(work.parts);
  if (!leaf && job.compares_codecs && !are_codecs_larger(work.parts, tree_bytes)) {
    if (const auto better = find_better_codec(job.words, tree_bytes)) {
      encode_leaf(*better, checksum, job);
      if (job.bytes.size() < tree_bytes) return try_fast_codecs(checksum, job);
    }
  }
  if (leaf) return encode_leaf(*leaf, checksum, job);
  if (work.parts.size() == 1 && put_in_room(work.parts[0], checksum, job)) return;
  trees::PartWriter writer(work.parts.size(), chunks::padded(tree_bytes));
  for (const PartJob& part : work.parts) writer.put(part.words.count, part.tree);
  job.bytes = writer.release();
  add_digest(job, checksum);
}

bool GroupEncoder::Group::put_in_room(const PartJob& part, bool checksum, StreamJob& job) const {
  if (room_ == nullptr) return false;
  trees::PartWriter writer(1);
  writer.put_front(part.words.count, part.tree);
  const std::vector<std::uint8_t> front = writer.release();
  const std::span<const std::uint8_t> body = part.tree.body.bytes();
  const std::span<std::uint8_t> stream = room_->take(job, front.size() + body.size());
  if (stream.empty()) return false;
  std::copy(body.begin(), body.end(), std::copy(front.begin(), front.end(), stream.begin()));
  job.digest = chunks::digest_of_bytes(stream, checksum);
  return true;
}

void GroupEncoder::Group::move_to_room(StreamJob& job) const {
  if (room_ == nullptr || job.is_placed) return;
  const std::span<std::uint8_t> stream = room_->take(job, job.bytes.size());
  std::copy(job.bytes.begin(), job.bytes.begin() + static_cast<std::ptrdiff_t>(stream.size()),
            stream.begin());
}

}  // namespace floe::pipeline
