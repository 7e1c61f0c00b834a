// Which trees do the streams of a group get that are known before anything is encoded?
#include <algorithm>

#include "pipeline/encode/group.hpp"

namespace floe::pipeline {

GroupEncoder::Group::Group(GroupEncoder& encoder, std::span<StreamJob> jobs, FrameRoom* room)
    : encoder_(encoder),
      room_(room),
      accelerated_(encoder.options_, encoder.executor_, encoder.batches_under_way_) {
  for (StreamJob& job : jobs) {
    StreamCoder* coder = job.coder;
    if (coder == nullptr) coder = &own_coders_.emplace_back(trees::objective_of(trees::Preset::balanced));
    works_.push_back({&job, coder, {}});
  }
  for (StreamJob& job : jobs) {
    if (job.coder == nullptr) continue;
    for (const auto& rival : job.coder->rivals_) {
      StreamJob& other = other_jobs_.emplace_back(Other{&job, job}).other;
      works_.push_back({&other, rival.get(), {}});
    }
  }
}

void GroupEncoder::Group::plan(std::size_t planned_together) {
  std::vector<Work*> planned;
  for (Work& work : works_) is_planned(work) ? planned.push_back(&work) : add_whole(work);
  encoder_.for_each(planned.size(),
                    [&](std::size_t i, trees::Scratch& scratch) { look_at(*planned[i], scratch); });
  add_whole_segments();
  for (Work& work : works_) {
    for (PartJob& part : work.parts) {
      if (work.coder->planner_ != nullptr && part.words.count > 0) work.coder->planner_->assign(part);
    }
  }
  plan_ahead(planned_together);
}

// Where sizes are not all that counts, only a short one that is alone: that takes as long as all parts do.
void GroupEncoder::Group::add_whole_segments() {
  constexpr std::uint64_t few_bytes = std::uint64_t{1} << 20;
  const std::size_t count = works_.size();
  trees::Scratch scratch;
  for (std::size_t i = 0; i < count; ++i) {
    StreamCoder* const whole = works_[i].coder->whole_.get();
    if (whole == nullptr || works_[i].parts.size() == 1) continue;
    StreamJob* const job = works_[i].job;
    if (whole->planner_->objective().remembers && (count > 1 || job->words.bytes() >= few_bytes)) continue;
    StreamJob& other = other_jobs_.emplace_back(Other{job, *job}).other;
    works_[i].whole = &other;
    look_at(works_.emplace_back(Work{&other, whole, {}}), scratch);
  }
}

void GroupEncoder::Group::look_at(Work& work, trees::Scratch& scratch) {
  const trees::ColumnView& words = work.job->words;
  const auto* values = static_cast<const std::uint8_t*>(words.values);
  for (const std::uint64_t count : work.coder->planner_->cut(words, scratch)) {
    PartJob& part = work.parts.emplace_back();
    part.words = {words.type, values, count};
    values += part.words.bytes();
    trees::StreamPlanner::look_at(part);
  }
}

void GroupEncoder::Group::plan_ahead(std::size_t together) {
  struct OfCoder {
    trees::AheadPlanner* planner;
    std::vector<trees::AheadSegment*> segments;
  };
  std::vector<OfCoder> coders;
  for (Work& work : works_) {
    trees::AheadPlanner* const planner = work.coder->ahead_.get();
    if (planner == nullptr || work.job->words.count == 0) continue;
    work.ahead.words = work.job->words;
    auto of = std::find_if(coders.begin(), coders.end(),
                           [&](const OfCoder& known) { return known.planner == planner; });
    if (of == coders.end()) of = coders.insert(of, {planner, {}});
    of->segments.push_back(&work.ahead);
  }
  const auto plan = [&](const OfCoder& of, const trees::AheadPlanner::ForEach& for_each) {
    const std::span segments(of.segments);
    for (std::size_t at = 0; at < segments.size(); at += std::min(together, segments.size() - at))
      of.planner->plan(segments.subspan(at, std::min(together, segments.size() - at)), for_each);
  };
  if (coders.size() == 1)
    return plan(coders[0], [&](std::size_t count, const auto& work) { encoder_.for_each(count, work); });
  encoder_.for_each(coders.size(), [&](std::size_t i, trees::Scratch& scratch) {
    plan(coders[i], [&](std::size_t count, const auto& work) {
      for (std::size_t k = 0; k < count; ++k) work(k, scratch);
    });
  });
}

}  // namespace floe::pipeline
