#include "pipeline/group_encoder.hpp"

#include <algorithm>
#include <list>
#include <optional>
#include <utility>

#include "chunks/leaf.hpp"
#include "chunks/leaf_encoder.hpp"
#include "container/layout.hpp"
#include "pipeline/accelerated_streams.hpp"
#include "pipeline/leaf_streams.hpp"
#include "plan/planned_encoding.hpp"
#include "plan/word_lists.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {
namespace {

using trees::PartJob;

/// A job on its way.
struct Work {
  StreamJob* job = nullptr;
  StreamCoder* coder = nullptr;
  std::vector<PartJob> parts;
  trees::AheadSegment ahead = {};  ///< Where trees are known before.
  bool is_given = false;           ///< To the accelerator.
  bool is_encoded = false;         ///< The job has its bytes.
  bool is_finished = false;        ///< And its digest.
};

}  // namespace

StreamCoder::StreamCoder(const trees::Objective& objective) {
  if (trees::AheadPlanner::suits(objective)) {
    ahead_ = std::make_unique<trees::AheadPlanner>(objective);
    return;
  }
  planner_ = std::make_unique<trees::StreamPlanner>(objective);
  if (!objective.compares_streams) return;
  for (const auto preset : {trees::Preset::ratio, trees::Preset::balanced, trees::Preset::fast}) {
    trees::Objective rival = trees::objective_of(preset, objective.for_devices);
    rival.decode_megabytes_per_second = objective.decode_megabytes_per_second;
    rival.times = objective.times;
    if (preset != trees::Preset::fast) rival.strides = objective.strides;
    if (objective.has_wide_words) rival = trees::objective_for_wide_words(rival, preset);
    if (objective.for_columns) rival = trees::objective_for_columns(rival);
    rivals_.push_back(std::make_unique<StreamCoder>(rival));
  }
  trees::Objective whole = objective;
  whole.compares_streams = false;
  whole.max_parts = 1;
  whole_ = std::make_unique<StreamCoder>(whole);
}

std::span<std::uint8_t> FrameRoom::take(StreamJob& job, std::size_t bytes) {
  const auto padded = static_cast<std::size_t>(container::padded(bytes));
  const std::size_t whole = container::array_segment_header_bytes + padded;
  if (&job != next || whole > left.size()) return {};
  job.is_placed = true;
  job.stored_bytes = bytes;
  job.place = left.subspan(container::array_segment_header_bytes, padded);
  const auto stream = job.place.first(bytes), padding = job.place.subspan(bytes);
  std::fill(padding.begin(), padding.end(), std::uint8_t{0});
  left = left.subspan(whole);
  ++next;
  return stream;
}

/// One group of streams.
class GroupEncoder::Group {
 public:
  Group(GroupEncoder& encoder, std::span<StreamJob> jobs, FrameRoom* room)
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

  /// Chooses the trees that are known before anything is encoded with them.
  void plan(std::size_t planned_together) {
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

  /// What an accelerator does begins.
  Status begin() { return begin_accelerating(PartJob::Action::encode); }

  /// What the CPU has to encode is encoded meanwhile.
  Result<bool> know_sizes() {
    const bool knows_trees =
        std::all_of(works_.begin(), works_.end(), [](const Work& work) { return work.coder->knows_trees(); });
    if (!knows_trees || !accelerated_.is_one_batch()) return false;
    std::vector<Work*> left;
    for (Work& work : works_) {
      if (!work.is_given) left.push_back(&work);
    }
    encoder_.for_each(left.size(), [&](std::size_t i, trees::Scratch& scratch) {
      encode_part(*left[i], left[i]->parts[0], scratch);
      finish(*left[i]);
      left[i]->is_finished = true;
      left[i]->job->stored_bytes = left[i]->job->bytes.size();
    });
    return accelerated_.wait_for_sizes();
  }
  Status fetch() { return accelerated_.fetch(); }

  Status finish() {
    AcceleratorShare* const share = encoder_.options_.accelerator_share;
    if (const Status status = encode_parts(); !status.ok()) return status;
    exchange_trees(trees::StreamPlanner::Trees::of_searches);
    reconsider();
    list_words();
    exchange_trees(trees::StreamPlanner::Trees::word_lists);
    finish_streams();
    if (share != nullptr) {
      for (const Work& work : works_) share->words_bytes += work.job->words.bytes();
      share->accelerated_bytes += accelerated_.encoded_bytes();
    }
    // Rivals come after what they are rivals of, and may have some of their own.
    for (auto other = other_jobs_.rbegin(); other != other_jobs_.rend(); ++other) {
      if (other->other.bytes.size() < other->job->bytes.size()) *other->job = std::move(other->other);
    }
    return {};
  }

 private:
  /// Cuts go by estimates: what was cut is encoded as a whole, too, where sizes are all that counts.
  void add_whole_segments() {
    const std::size_t count = works_.size();
    trees::Scratch scratch;
    for (std::size_t i = 0; i < count; ++i) {
      StreamCoder* const whole = works_[i].coder->whole_.get();
      if (whole == nullptr || works_[i].parts.size() == 1) continue;
      StreamJob* const job = works_[i].job;
      StreamJob& other = other_jobs_.emplace_back(Other{job, *job}).other;
      look_at(works_.emplace_back(Work{&other, whole, {}}), scratch);
    }
  }

  static bool is_planned(const Work& work) {
    return work.coder->planner_ != nullptr && work.job->words.count > 0;
  }
  static bool is_planned(const Work& work, const PartJob& part) {
    return work.coder->planner_ != nullptr && part.words.count > 0;
  }

  /// A stream that is not cut.
  static void add_whole(Work& work) { work.parts.emplace_back().words = work.job->words; }

  /// Cuts a planned stream into parts and looks at each.
  static void look_at(Work& work, trees::Scratch& scratch) {
    const trees::ColumnView& words = work.job->words;
    const auto* values = static_cast<const std::uint8_t*>(words.values);
    for (const std::uint64_t count : work.coder->planner_->cut(words, scratch)) {
      PartJob& part = work.parts.emplace_back();
      part.words = {words.type, values, count};
      values += part.words.bytes();
      trees::StreamPlanner::look_at(part);
    }
  }

  /// Trees of coders that choose them before.
  void plan_ahead(std::size_t together) {
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

  /// The tree of a stream whose planner does not choose one while segments are encoded.
  static const trees::Plan& known_plan(const Work& work) {
    return work.coder->ahead_ == nullptr ? work.coder->fixed_ : work.ahead.plan;
  }

  struct PartOfWork {
    Work* work;
    PartJob* part;
  };

  /// Calls work(coder, part, scratch) for the planned parts for which `wants` says so, side by side.
  template <class Wants, class Do>
  void for_parts(const Wants& wants, const Do& work) {
    std::vector<PartOfWork> chosen;
    for (Work& of : works_) {
      for (PartJob& part : of.parts) {
        if (is_planned(of, part) && wants(part)) chosen.push_back({&of, &part});
      }
    }
    encoder_.for_each(chosen.size(), [&](std::size_t i, trees::Scratch& scratch) {
      work(*chosen[i].work->coder->planner_, *chosen[i].part, scratch);
    });
  }
  /// The same one after the other, in their order.
  template <class Wants, class Do>
  void for_parts_in_order(const Wants& wants, const Do& work) {
    for (Work& of : works_) {
      for (PartJob& part : of.parts) {
        if (is_planned(of, part) && wants(part)) work(*of.coder->planner_, part);
      }
    }
  }

  /// With searches, remembered trees, given trees, and planners of other kinds; then with the trees that
  /// searches found. What an accelerator does has begun.
  Status encode_parts() {
    using Action = PartJob::Action;
    std::vector<std::vector<Work*>> by_coder;  // planners of other kinds take segments in their order
    std::vector<PartOfWork> chosen;
    for (Work& work : works_) {
      if (work.coder->other_ != nullptr) {
        const auto same = [&](const std::vector<Work*>& works) { return works[0]->coder == work.coder; };
        const auto known = std::find_if(by_coder.begin(), by_coder.end(), same);
        known == by_coder.end() ? by_coder.push_back({&work}) : known->push_back(&work);
        continue;
      }
      for (PartJob& part : work.parts) {
        const bool is_left = !work.is_given && !work.is_finished;
        if (is_left && (!is_planned(work, part) || part.action != Action::wait))
          chosen.push_back({&work, &part});
      }
    }
    encoder_.for_each(chosen.size() + by_coder.size(), [&](std::size_t i, trees::Scratch& scratch) {
      if (i < chosen.size()) return encode_part(*chosen[i].work, *chosen[i].part, scratch);
      for (Work* const work : by_coder[i - chosen.size()]) {
        PartJob& part = work->parts[0];
        part.tree = part.words.count == 0
                        ? encode_tree(part.words, {{trees::plain_leaf(part.words.type)}}, scratch)
                        : work->coder->other_->encode(part.words, scratch);
      }
    });
    if (const Status status = finish_accelerating(); !status.ok()) return status;
    for_parts_in_order([](const PartJob& part) { return part.action == Action::search; },
                       [](trees::StreamPlanner& planner, PartJob& part) { planner.note_search(part); });
    if (const Status status = begin_accelerating(Action::wait); !status.ok()) return status;
    chosen.clear();
    for (Work& work : works_) {
      for (PartJob& part : work.parts) {
        if (is_planned(work, part) && part.action == Action::wait) chosen.push_back({&work, &part});
      }
    }
    encoder_.for_each(chosen.size(), [&](std::size_t i, trees::Scratch& scratch) {
      encode_part(*chosen[i].work, *chosen[i].part, scratch);
    });
    return finish_accelerating();
  }

  void encode_part(Work& work, PartJob& part, trees::Scratch& scratch) const {
    if (work.job->wants_range && &part == work.parts.data()) {
      const trees::ColumnView& words = work.job->words;
      work.job->range = container::range_of(words.type, words.values, words.count);
    }
    if (is_planned(work, part)) {
      trees::StreamPlanner& planner = *work.coder->planner_;
      if (part.action != PartJob::Action::search) {
        if (!encode_as_leaf(work, planner.plan_of(part))) planner.encode(part, scratch);
        return;
      }
      planner.search(part, scratch, work.parts.size() == 1);
      if (part.tree.body.size() == 0) encode_as_leaf(work, trees::Plan(part.tree.plan));
      return;
    }
    if (work.job->words.count == 0) {
      part.tree = encode_tree(part.words, {{trees::plain_leaf(part.words.type)}}, scratch);
    } else if (work.ahead.tree) {
      part.tree = std::move(*work.ahead.tree);
    } else if (!leaf_of(known_plan(work))) {  // else finish() does it
      part.tree = encode_tree(part.words, known_plan(work), scratch);
    }
  }

  /// If the plan is a codec for the whole stream: the job gets its bytes at once.
  bool encode_as_leaf(Work& work, const trees::Plan& plan) const {
    const std::optional<chunks::Leaf> leaf = leaf_of(plan);
    if (!leaf || work.parts.size() != 1) return false;
    encode_leaf(*leaf, encoder_.options_.checksum, *work.job, room_);
    work.is_encoded = true;
    trees::EncodedTree& tree = work.parts[0].tree;
    tree.plan = tree.wanted = plan;
    tree.sizes = {{work.job->words.bytes(), work.job->stream_bytes()}};
    return true;
  }

  /// Between the parts of a coder each of which was searched.
  void exchange_trees(trees::StreamPlanner::Trees which) {
    struct OfCoder {
      StreamCoder* coder;
      std::vector<PartJob*> parts;
    };
    std::vector<OfCoder> coders;
    std::vector<std::pair<std::size_t, std::size_t>> tasks;  // of a coder, a part
    for (Work& work : works_) {
      if (work.coder->planner_ == nullptr || !work.coder->planner_->exchanges_trees()) continue;
      auto of = std::find_if(coders.begin(), coders.end(),
                             [&](const OfCoder& known) { return known.coder == work.coder; });
      if (of == coders.end()) of = coders.insert(of, {work.coder, {}});
      for (PartJob& part : work.parts) {
        if (!is_planned(work, part)) continue;
        tasks.emplace_back(of - coders.begin(), of->parts.size());
        of->parts.push_back(&part);
      }
    }
    encoder_.for_each(tasks.size(), [&](std::size_t i, trees::Scratch& scratch) {
      const auto [of, index] = tasks[i];
      coders[of].parts[index]->other =
          coders[of].coder->planner_->better_of_neighbours(coders[of].parts, index, which, scratch);
    });
    for (OfCoder& of : coders) {
      for (PartJob* const part : of.parts) {
        if (part->other) part->tree = *std::exchange(part->other, std::nullopt);
      }
    }
  }

  /// What turned out bad, once per kind of data.
  void reconsider() {
    using Verdict = PartJob::Verdict;
    const auto again = [](const PartJob& part) {
      return part.verdict == Verdict::slow || part.verdict == Verdict::drifting;
    };
    for_parts_in_order([](const PartJob&) { return true; },
                       [](trees::StreamPlanner& planner, PartJob& part) { planner.judge(part); });
    for_parts(again, [](trees::StreamPlanner& planner, PartJob& part, trees::Scratch& scratch) {
      planner.reconsider(part, scratch);
    });
    for_parts_in_order(again, [](trees::StreamPlanner& planner, PartJob& part) { planner.settle(part); });
    for_parts([](const PartJob& part) { return part.verdict == Verdict::following; },
              [](const trees::StreamPlanner& planner, PartJob& part, trees::Scratch& scratch) {
                planner.follow(part, scratch);
              });
    for (Work& work : works_) {
      if (work.coder->planner_ != nullptr) work.coder->planner_->end_segment(work.parts.size());
    }
    for (Work& work : works_) {
      if (work.coder->planner_ != nullptr) work.coder->planner_->end_group();
    }
  }

  /// Whether lists of words pay is another matter in each part, so that planners need not know.
  void list_words() {
    for_parts([](const PartJob&) { return true; },
              [](const trees::StreamPlanner& planner, PartJob& part, trees::Scratch& scratch) {
                if (auto tree = best_word_list(part.words, part.tree, planner.objective(), scratch))
                  part.tree = std::move(*tree);
              });
  }

  /// In their order where one thread makes them in their places.
  void finish_streams() {
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

  /// Whether the job needs nothing more. A tree that was found later than the bytes has bytes of its own.
  static bool has_bytes(const Work& work) {
    return work.is_finished || work.job->words.count == 0 ||
           (work.is_encoded && work.parts[0].tree.body.size() == 0);
  }

  /// The bytes of a stream and their digest.
  void finish(Work& work) {
    StreamJob& job = *work.job;
    const bool checksum = encoder_.options_.checksum;
    if (has_bytes(work)) return;
    job.is_placed = false;
    std::optional<chunks::Leaf> leaf;
    if (work.parts.size() == 1)
      leaf = leaf_of(work.coder->knows_trees() ? known_plan(work) : work.parts[0].tree.plan);
    std::uint64_t tree_bytes = 0;
    for (const PartJob& part : work.parts)
      tree_bytes += part.tree.body.size() + trees::written_bytes(part.tree.plan) + 4;
    if (!leaf && job.compares_codecs) {
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

  /// Writes a stream of one part where it belongs in the frame, if that is known.
  bool put_in_room(const PartJob& part, bool checksum, StreamJob& job) const {
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
  void move_to_room(StreamJob& job) const {
    if (room_ == nullptr || job.is_placed) return;
    const std::span<std::uint8_t> stream = room_->take(job, job.bytes.size());
    std::copy(job.bytes.begin(), job.bytes.begin() + static_cast<std::ptrdiff_t>(stream.size()),
              stream.begin());
  }

  /// Gives streams of one part whose tree is known to the accelerator, by that action. Parts that have waited
  /// do so no longer.
  Status begin_accelerating(PartJob::Action action) {
    given_.clear();
    std::vector<AcceleratedStreams::Stream> streams;
    for (Work& work : works_) {
      if (encoder_.options_.accelerator == nullptr) break;
      if (work.parts.size() != 1 || work.job->words.count == 0 || work.coder->other_ != nullptr) continue;
      if (work.ahead.tree) continue;  // encoded already
      PartJob& part = work.parts[0];
      if (action != (work.coder->planner_ == nullptr ? PartJob::Action::encode : part.action)) continue;
      const trees::Plan& plan =
          work.coder->planner_ == nullptr ? known_plan(work) : work.coder->planner_->plan_of(part);
      // A planner wants to see the body of a leaf by itself, and what each node had where speed is demanded.
      if (work.coder->planner_ != nullptr &&
          (leaf_of(plan) || work.coder->planner_->objective().decode_megabytes_per_second != 0))
        continue;
      work.is_given = true;
      part.action = PartJob::Action::encode;
      given_.push_back(&work);
      streams.push_back({work.job, &part.tree, plan, work.coder->knows_trees()});
    }
    return accelerated_.begin(std::move(streams));
  }

  /// What the accelerator has left is encoded here.
  Status finish_accelerating() {
    using Made = AcceleratedStreams::Stream::Made;
    if (const Status status = accelerated_.finish(); !status.ok()) return status;
    std::vector<Work*> left;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const Made made = accelerated_.streams()[i].made;
      given_[i]->is_encoded = made == Made::bytes;
      if (made == Made::nothing) left.push_back(given_[i]);
    }
    encoder_.for_each(left.size(), [&](std::size_t i, trees::Scratch& scratch) {
      encode_part(*left[i], left[i]->parts[0], scratch);
    });
    return {};
  }

  GroupEncoder& encoder_;
  FrameRoom* const room_;  ///< May be null.
  std::vector<Work> works_;
  std::list<StreamCoder> own_coders_;
  /// A job, and the same with other weights.
  struct Other {
    StreamJob* job;
    StreamJob other;
  };
  std::list<Other> other_jobs_;
  AcceleratedStreams accelerated_;
  std::vector<Work*> given_;  ///< To the accelerator.
};

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

template <class Do>
void GroupEncoder::for_each(std::size_t count, const Do& work) {
  core::for_each_task(workers_, static_cast<std::uint32_t>(count), [&](std::uint32_t index) {
    std::unique_ptr<trees::Scratch> scratch = take_scratch();
    work(std::size_t{index}, *scratch);
    give_scratch(std::move(scratch));
  });
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
