// A group of streams on its way: which trees they get, who encodes them, and what becomes of the result.
#pragma once

#include <cstddef>
#include <list>
#include <span>
#include <vector>

#include "pipeline/encode/accelerated_streams.hpp"
#include "pipeline/encode/group_encoder.hpp"

namespace floe::pipeline {

class GroupEncoder::Group {
 public:
  Group(GroupEncoder& encoder, std::span<StreamJob> jobs, FrameRoom* room);

  /// Chooses the trees that are known before anything is encoded with them.
  void plan(std::size_t planned_together);

  /// What an accelerator does begins.
  Status begin() { return begin_accelerating(PartJob::Action::encode); }

  /// What the CPU has to encode is encoded meanwhile.
  Result<bool> know_sizes();

  Status fetch() { return accelerated_.fetch(); }
  Status finish();

 private:
  using PartJob = trees::PartJob;

  /// A job on its way.
  struct Work {
    StreamJob* job = nullptr;
    StreamCoder* coder = nullptr;
    std::vector<PartJob> parts;
    const StreamJob* whole = nullptr;  ///< Of one that is cut: what is encoded without that, too, if it is.
    trees::AheadSegment ahead = {};    ///< Where trees are known before.
    bool is_given = false;             ///< To the accelerator.
    bool is_encoded = false;           ///< The job has its bytes.
    bool is_finished = false;          ///< And its digest.
  };

  /// Cuts go by estimates: what was cut is encoded as a whole, too, where sizes are all that counts.
  void add_whole_segments();

  static bool is_planned(const Work& work) {
    return work.coder->planner_ != nullptr && work.job->words.count > 0;
  }
  static bool is_planned(const Work& work, const PartJob& part) {
    return work.coder->planner_ != nullptr && part.words.count > 0;
  }

  /// A stream that is not cut.
  static void add_whole(Work& work) { work.parts.emplace_back().words = work.job->words; }

  /// Cuts a planned stream into parts and looks at each.
  static void look_at(Work& work, trees::Scratch& scratch);

  /// Trees of coders that choose them before.
  void plan_ahead(std::size_t together);

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
  Status encode_parts();
  /// When the others that are searched are done.
  void encode_deferred_parts();
  void encode_part(Work& work, PartJob& part, trees::Scratch& scratch) const;

  /// If the plan is a codec for the whole stream: the job gets its bytes at once.
  bool encode_as_leaf(Work& work, const trees::Plan& plan) const;

  /// Between the parts of a coder each of which was searched.
  void exchange_trees(trees::StreamPlanner::Trees which);

  /// What turned out bad, once per kind of data.
  void reconsider();

  /// Whether lists of words pay is another matter in each part, so that planners need not know.
  void list_words();

  /// Cuts go by estimates of parts: where their trees begin alike, that of the longest one is tried on all.
  void join_parts();
  /// Samples of their parts deceived. The best tree of the first one of each coder is searched for; the
  /// others try it.
  void search_joined(std::span<Work* const> joined);
  /// In place of the parts of a stream, or of another tree of it.
  static void take_if_shorter(Work& work, PartJob whole);

  /// In their order where one thread makes them at their positions.
  void finish_streams();

  /// Of parts in a stream, about.
  static std::uint64_t written_bytes(std::span<const PartJob> parts);

  /// Whether samples that searches saw of all parts say that no codec makes fewer bytes.
  static bool are_codecs_larger(std::span<const PartJob> parts, std::uint64_t tree_bytes);

  /// Whether the job needs nothing more. A tree that was found later than the bytes has bytes of its own.
  static bool has_bytes(const Work& work);

  /// The bytes of a stream and their digest.
  void finish(Work& work);

  /// Whether the stream of a work is encoded without cuts, too, as words of matches, as its parts are: to
  /// look for matches again would take as long as all else.
  [[nodiscard]] bool has_matches_of_whole(const Work& work) const;

  /// Writes a stream of one part where it belongs in the frame, if that is known.
  bool put_in_room(const PartJob& part, bool checksum, StreamJob& job) const;
  void move_to_room(StreamJob& job) const;

  /// Gives streams of one part whose tree is known to the accelerator, by that action. Parts that have waited
  /// do so no longer.
  Status begin_accelerating(PartJob::Action action);

  /// What the accelerator has left is encoded here.
  Status finish_accelerating();

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

template <class Do>
void GroupEncoder::for_each(std::size_t count, const Do& work) {
  core::for_each_task(workers_, static_cast<std::uint32_t>(count), [&](std::uint32_t index) {
    std::unique_ptr<trees::Scratch> scratch = take_scratch();
    work(std::size_t{index}, *scratch);
    give_scratch(std::move(scratch));
  });
}

}  // namespace floe::pipeline
