#include "pipeline/encode/group_encoder.hpp"

#include <algorithm>
#include <utility>

#include "container/layout.hpp"
#include "pipeline/encode/group.hpp"

namespace floe::pipeline {
StreamCoder::StreamCoder(const trees::Objective& objective) {
  if (trees::AheadPlanner::suits(objective)) {
    ahead_ = std::make_unique<trees::AheadPlanner>(objective);
    return;
  }
  planner_ = std::make_unique<trees::StreamPlanner>(objective);
  const bool is_of_ratio = trees::tries_similar_trees(objective) && objective.max_parts > 1;
  if (objective.compares_streams || is_of_ratio) {
    trees::Objective whole = objective;
    whole.compares_streams = whole.compares_faster = false;
    whole.max_parts = 1;
    whole_ = std::make_unique<StreamCoder>(whole);
  }
  if (!objective.compares_streams && !objective.compares_faster) return;
  for (const auto preset : {trees::Preset::ratio, trees::Preset::balanced, trees::Preset::fast}) {
    const bool is_faster =
        preset == trees::Preset::fast || (preset == trees::Preset::balanced && objective.rival);
    if (!objective.compares_streams && !is_faster) continue;
    trees::Objective rival = trees::objective_of(preset, objective.for_devices);
    rival.decode_megabytes_per_second = objective.decode_megabytes_per_second;
    rival.times = objective.times;
    if (preset != trees::Preset::fast) rival.strides = objective.strides;
    if (objective.has_wide_words) rival = trees::objective_for_wide_words(rival, preset);
    if (objective.for_columns) rival = trees::objective_for_columns(rival);
    rival = trees::objective_for_long_segments(rival, objective.window_factor);
    // The best matches of bytes, which take long, are found once, by the goal itself.
    if (objective.compares_streams) rival.match_effort = std::min(rival.match_effort, 0);
    rivals_.push_back(std::make_unique<StreamCoder>(rival));
  }
}

std::span<std::uint8_t> FrameRoom::take(StreamJob& job, std::size_t bytes) {
  const auto padded = static_cast<std::size_t>(container::padded(bytes));
  const std::size_t whole = container::array_segment_header_bytes + padded;
  if (&job != next || whole > left.size()) return {};
  job.is_placed = true;
  job.stored_bytes = bytes;
  job.destination = left.subspan(container::array_segment_header_bytes, padded);
  const auto stream = job.destination.first(bytes), padding = job.destination.subspan(bytes);
  std::fill(padding.begin(), padding.end(), std::uint8_t{0});
  left = left.subspan(whole);
  ++next;
  return stream;
}

GroupEncoder::GroupEncoder(core::Workers& workers, const Options& options)
    : workers_(workers), options_(options), executor_([this](std::uint32_t count, const Task& task) {
        core::for_each_task(workers_, count, task);
      }) {}

std::unique_ptr<trees::Scratch> GroupEncoder::take_scratch() {
  const std::lock_guard lock(mutex_);
  if (unused_scratch_.empty()) return std::make_unique<trees::Scratch>();
  std::unique_ptr<trees::Scratch> scratch = std::move(unused_scratch_.back());
  unused_scratch_.pop_back();
  return scratch;
}

void GroupEncoder::give_scratch(std::unique_ptr<trees::Scratch> scratch) {
  const std::lock_guard lock(mutex_);
  unused_scratch_.push_back(std::move(scratch));
}

Status GroupEncoder::encode(std::span<StreamJob> jobs, std::size_t planned_together, FrameRoom* room) {
  UnderWay group(*this, jobs, planned_together, room);
  if (const Status status = group.begin(); !status.ok()) return status;
  return group.finish();
}

GroupEncoder::UnderWay::UnderWay(GroupEncoder& encoder, std::span<StreamJob> jobs,
                                 std::size_t planned_together, FrameRoom* room)
    : group_(std::make_unique<Group>(encoder, jobs, room)) {
  group_->plan(planned_together);
}
GroupEncoder::UnderWay::~UnderWay() = default;
Status GroupEncoder::UnderWay::begin() { return group_->begin(); }
Result<bool> GroupEncoder::UnderWay::know_sizes() { return group_->know_sizes(); }
Status GroupEncoder::UnderWay::fetch() { return group_->fetch(); }
Status GroupEncoder::UnderWay::finish() { return group_->finish(); }

std::vector<std::uint8_t> encode_alone(const trees::ColumnView& words, const trees::Objective& objective) {
  core::Workers this_thread(1, nullptr);
  StreamCoder coder(objective);
  StreamJob job{&coder, words, false, {}, 0};
  Options options;
  options.checksum = false;
  (void)GroupEncoder(this_thread, options).encode({&job, 1});
  return std::move(job.bytes);
}

}  // namespace floe::pipeline
