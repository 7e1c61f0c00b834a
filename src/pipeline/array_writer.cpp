#include "pipeline/array_writer.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "pipeline/encode/history_stream.hpp"
#include "pipeline/encode/joined_stream.hpp"

namespace floe::pipeline {
namespace {

/// Of the segments that are planned together where trees are known before, which takes few steps then, and
/// devices are given many streams of a tree at once.
constexpr std::uint64_t group_bytes_ahead = std::uint64_t{64} << 20;
/// Memory for a piece that is being filled, until more than this has arrived: most arrays are short.
constexpr std::uint64_t first_memory_bytes = std::uint64_t{1} << 20;

}  // namespace

ArrayWriter::ArrayWriter(ArrayPlan&& plan, const Options& options, container::FrameSink& sink)
    : plan_(std::move(plan)), options_(options), workers_(options.threads, options.executor), frame_(sink) {
  if (plan_.leaf) {
    leaf_.emplace(*plan_.leaf, plan_.header.checksums, workers_);
    piece_bytes_ = plan_.leaf->codec->has_history ? plan_.segment_bytes
                                                  : std::min(plan_.segment_bytes, leaf_->good_piece_bytes());
    if (options.accelerator != nullptr) {
      batches_.emplace(
          plan_, options_, workers_, frame_,
          [this](std::span<const std::uint8_t> content) { return encode_leaf(content, true); },
          [this](std::span<std::uint8_t> stream, std::uint64_t content_bytes, std::uint64_t digest,
                 bool has_room) { return put_leaf(stream, content_bytes, digest, has_room); });
    }
  } else {
    groups_.emplace(workers_, options);
    plan_.tree ? coder_.emplace(*plan_.tree) : coder_.emplace(plan_.objective);
    const std::uint64_t group_bytes =
        coder_->ahead() != nullptr || overlaps_groups() ? group_bytes_ahead : usual_group_bytes;
    planned_together_ = std::max<std::uint64_t>(group_bytes / plan_.segment_bytes, 1);
    group_bytes_ = planned_together_ * plan_.segment_bytes;
    piece_bytes_ = std::max(plan_.history_bytes, group_bytes_);
    if (overlaps_groups()) {
      const std::uint64_t at_once = options.accelerator->batches_at_once(),
                          bytes = at_once * options.accelerator->batch_bytes();
      groups_at_once_ =
          std::clamp<std::uint64_t>(bytes / group_bytes_, 1, std::max<std::uint64_t>(at_once, 1));
      piece_bytes_ *= groups_at_once_;
    }
  }
}

std::uint64_t ArrayWriter::wanted_bytes() {
  return leaf_ ? std::min(piece_bytes_, plan_.segment_bytes - encoded_bytes_) : piece_bytes_;
}

Status ArrayWriter::write(std::span<const std::uint8_t> bytes) {
  content_bytes_ += bytes.size();
  if (batches_) {
    if (const Status status = begin(); !status.ok()) return status;
    return batches_->add(bytes);
  }
  while (!bytes.empty()) {
    const std::uint64_t wanted = wanted_bytes();
    const bool is_aligned = leaf_ || reinterpret_cast<std::uintptr_t>(bytes.data()) % plan_.word_bytes() == 0;
    if (waiting_bytes_ == 0 && bytes.size() >= wanted && is_aligned) {  // straight from the caller's memory
      if (const Status status = encode(bytes.first(wanted), false); !status.ok()) return status;
      bytes = bytes.subspan(wanted);
      continue;
    }
    const auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), wanted - waiting_bytes_));
    make_room(waiting_bytes_ + part.size());
    std::memcpy(room_.data() + waiting_bytes_, part.data(), part.size());
    waiting_bytes_ += part.size();
    bytes = bytes.subspan(part.size());
    if (waiting_bytes_ < wanted) continue;
    waiting_bytes_ = 0;
    if (const Status status = encode(room_.first(wanted), false); !status.ok()) return status;
  }
  return {};
}

/// For so many bytes of a piece, of which the first ones may be waiting already.
void ArrayWriter::make_room(std::uint64_t bytes) {
  if (bytes <= room_.size()) return;
  core::Buffer larger;
  const std::uint64_t wanted =
      bytes <= first_memory_bytes ? std::min(first_memory_bytes, piece_bytes_) : piece_bytes_;
  const std::span<std::uint8_t> room = larger.reserve(static_cast<std::size_t>(wanted));
  std::copy_n(room_.begin(), waiting_bytes_, room.begin());
  memory_ = std::move(larger);
  room_ = room;
}

Status ArrayWriter::write_whole(std::span<const std::uint8_t> bytes) {
  const bool is_aligned = leaf_ || reinterpret_cast<std::uintptr_t>(bytes.data()) % plan_.word_bytes() == 0;
  if (!is_aligned) return write(bytes);
  content_bytes_ += bytes.size();
  if (batches_) {
    if (const Status status = begin(); !status.ok()) return status;
    return batches_->add_whole(bytes);
  }
  const std::uint64_t at_once = leaf_ ? plan_.segment_bytes : overlaps_groups() ? bytes.size() : piece_bytes_;
  for (std::uint64_t at = 0; at < bytes.size(); at += at_once) {
    const auto piece = bytes.subspan(at, std::min<std::uint64_t>(at_once, bytes.size() - at));
    if (const Status status = encode(piece, true); !status.ok()) return status;
  }
  return {};
}

Status ArrayWriter::finish(std::uint64_t outer_size) {
  if (const Status status = begin(); !status.ok()) return status;
  if (batches_) {
    if (const Status status = batches_->finish(); !status.ok()) return status;
  }
  if (encoded_bytes_ + waiting_bytes_ != 0) {
    if (const Status status = encode(room_.first(waiting_bytes_), true); !status.ok()) return status;
  }
  return frame_.finish(outer_size);
}

Status ArrayWriter::begin() { return frame_.has_begun() ? Status{} : frame_.begin(plan_.header); }

Status ArrayWriter::encode(std::span<const std::uint8_t> piece, bool is_last) {
  if (const Status status = begin(); !status.ok()) return status;
  return leaf_ ? encode_leaf(piece, is_last) : encode_planned(piece);
}

/// Encodes the next piece of a segment, and writes the segment if it is complete or nothing follows.
Status ArrayWriter::encode_leaf(std::span<const std::uint8_t> piece, bool is_last) {
  std::span<std::uint8_t> stream;
  const bool is_whole = encoded_bytes_ == 0 && (is_last || piece.size() == plan_.segment_bytes);
  if (is_whole) {
    stream = leaf_->encode(piece, container::array_segment_header_bytes, frame_.room());
    encoded_bytes_ = piece.size();
  } else {
    if (encoded_bytes_ == 0) leaf_->begin(plan_.segment_bytes, container::array_segment_header_bytes);
    leaf_->add(piece);
    encoded_bytes_ += piece.size();
    if (!is_last && encoded_bytes_ < plan_.segment_bytes) return {};
    stream = leaf_->finish();
  }
  const std::uint64_t content_bytes = std::exchange(encoded_bytes_, 0);
  if (options_.accelerator_share != nullptr) options_.accelerator_share->words_bytes += content_bytes;
  return put_leaf(stream, content_bytes, leaf_->digest(), true);
}

Status ArrayWriter::put_leaf(std::span<std::uint8_t> stream, std::uint64_t content_bytes,
                             std::uint64_t digest, bool has_room) {
  const std::span<const std::uint8_t> bytes =
      stream.subspan(has_room ? container::array_segment_header_bytes : 0);
  container::SegmentHeader segment;
  segment.count = static_cast<std::uint32_t>(content_bytes / plan_.word_bytes());
  segment.columns.emplace_back().streams.push_back({plan_.header.dtype, segment.count, bytes.size(), digest});
  const Status status = has_room ? frame_.segment(segment, stream) : frame_.segment(segment, {&bytes, 1});
  if (!status.ok() || !options_.on_segment) return status;
  StreamJob job;
  job.words = {plan_.header.dtype, nullptr, segment.count};
  job.bytes.assign(bytes.begin(), bytes.end());
  report(segment, job);
  return status;
}

/// Encodes segments group by group, and writes what is smallest: them, or segments of a codec with a match
/// history, which sees repetitions from one segment to the others.
Status ArrayWriter::encode_planned(std::span<const std::uint8_t> content) {
  if (overlaps_groups()) return encode_overlapping(content);
  const std::uint64_t at_once = plan_.history_bytes == 0 ? content.size() : plan_.history_bytes;
  for (std::uint64_t first = 0; first < content.size(); first += at_once) {
    const auto part = content.subspan(first, std::min<std::uint64_t>(at_once, content.size() - first));
    std::vector<StreamJob> jobs;
    const bool are_made_in_place = workers_.max_tasks() == 1 && !options_.on_segment &&
                                   !plan_.objective.compares_streams && options_.accelerator == nullptr;
    FrameRoom room{are_made_in_place ? frame_.room() : std::span<std::uint8_t>{}};
    for (std::uint64_t at = 0; at < part.size(); at += group_bytes_) {
      std::vector<StreamJob> group =
          jobs_of(part.subspan(at, std::min<std::uint64_t>(group_bytes_, part.size() - at)));
      room.next = room.left.empty() ? nullptr : group.data();
      if (const Status status = groups_->encode(group, planned_together_, &room); !status.ok()) return status;
      bool are_in_place = room.next == group.data() + group.size();
      if (plan_.joins_segments && group.size() > 1) {
        StreamCoder coder(plan_.objective);
        const Result<bool> are_joined = join_segments(group, coder, *groups_);
        if (!are_joined) return are_joined.status();
        are_in_place = are_in_place && !*are_joined;
      }
      if (!are_in_place) room.left = {};
      std::move(group.begin(), group.end(), std::back_inserter(jobs));
    }
    if (plan_.history_bytes != 0) {
      if (auto job =
              encode_with_history({plan_.header.dtype, part.data(), part.size() / plan_.word_bytes()}, jobs,
                                  plan_.objective.compares_streams, plan_.header.checksums, workers_)) {
        jobs.clear();
        jobs.push_back(std::move(*job));
      }
    }
    if (const Status status = put_segments(jobs); !status.ok()) return status;
  }
  return {};
}

/// Whether an accelerator works on some groups while others are planned and written.
bool ArrayWriter::overlaps_groups() const {
  return coder_ && coder_->knows_trees() && options_.accelerator != nullptr;
}

/// While the accelerator works on as many groups as it takes, the next one is planned and the oldest written.
Status ArrayWriter::encode_overlapping(std::span<const std::uint8_t> content) {
  std::deque<GroupUnderWay> groups;
  const auto write_oldest = [&] {
    if (const Status status = groups.front().work->finish(); !status.ok()) return status;
    if (const Status status = put_segments(groups.front().jobs); !status.ok()) return status;
    groups.pop_front();
    return Status{};
  };
  for (std::uint64_t at = 0; at < content.size(); at += group_bytes_) {
    const auto part = content.subspan(at, std::min<std::uint64_t>(group_bytes_, content.size() - at));
    GroupUnderWay next{jobs_of(part)};
    next.work = std::make_unique<GroupEncoder::UnderWay>(*groups_, next.jobs, planned_together_);
    if (groups.size() == groups_at_once_) {
      if (const Status status = write_oldest(); !status.ok()) return status;
    }
    groups.push_back(std::move(next));
    if (const Status status = groups.back().work->begin(); !status.ok()) return status;
    if (groups.size() <= groups_at_once_ / 2) continue;
    if (const Status status = place_next(groups); !status.ok()) return status;
  }
  while (!groups.empty()) {
    if (const Status status = place_next(groups); !status.ok()) return status;
    if (const Status status = write_oldest(); !status.ok()) return status;
  }
  return {};
}

/// Says where the streams of the first group without positions belong, behind those before it, and has them
/// copied there.
Status ArrayWriter::place_next(std::deque<GroupUnderWay>& groups) {
  const auto next = std::find_if(groups.begin(), groups.end(),
                                 [](const GroupUnderWay& group) { return group.placed_bytes == 0; });
  const std::span<std::uint8_t> room = frame_.room();
  if (next == groups.end() || next->has_no_positions || room.empty() || options_.on_segment) return {};
  const Result<bool> knows_sizes = next->work->know_sizes();
  if (!knows_sizes) return knows_sizes.status();
  std::uint64_t begin = 0;
  for (auto before = groups.begin(); before != next; ++before) begin += before->placed_bytes;
  std::uint64_t end = begin;
  for (const StreamJob& job : next->jobs)
    end += container::array_segment_header_bytes + container::padded(job.stored_bytes);
  next->has_no_positions = !*knows_sizes || end > room.size();
  if (next->has_no_positions) return {};
  next->placed_bytes = end - begin;
  give_positions(next->jobs, room.subspan(static_cast<std::size_t>(begin)));
  return next->work->fetch();
}

std::vector<StreamJob> ArrayWriter::jobs_of(std::span<const std::uint8_t> group) {
  std::vector<StreamJob> jobs;
  for (std::uint64_t at = 0; at < group.size(); at += plan_.segment_bytes) {
    const auto segment = group.subspan(at, std::min<std::uint64_t>(plan_.segment_bytes, group.size() - at));
    StreamJob& job = jobs.emplace_back();
    job.coder = &*coder_;
    job.words = {plan_.header.dtype, segment.data(), segment.size() / plan_.word_bytes()};
    job.compares_codecs = !plan_.tree && options_.profile == Profile::cpu;
    job.wants_range = true;
  }
  return jobs;
}

}  // namespace floe::pipeline
