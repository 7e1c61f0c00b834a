// The streams of a group are encoded, by the CPU and by an accelerator, until each has its best tree.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "chunks/leaf.hpp"
#include "pipeline/encode/group.hpp"
#include "pipeline/encode/leaf_streams.hpp"
#include "plan/lists/word_lists.hpp"
#include "plan/planned_encoding.hpp"

namespace floe::pipeline {

Result<bool> GroupEncoder::Group::know_sizes() {
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

Status GroupEncoder::Group::finish() {
  AcceleratorShare* const share = encoder_.options_.accelerator_share;
  if (const Status status = encode_parts(); !status.ok()) return status;
  exchange_trees(trees::StreamPlanner::Trees::of_searches);
  reconsider();
  list_words();
  exchange_trees(trees::StreamPlanner::Trees::word_lists);
  join_parts();
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

Status GroupEncoder::Group::encode_parts() {
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
      const bool is_later = part.action == Action::wait || part.action == Action::defer;
      if (is_left && (!is_planned(work, part) || !is_later)) chosen.push_back({&work, &part});
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
  encode_deferred_parts();
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

void GroupEncoder::Group::encode_deferred_parts() {
  std::vector<PartOfWork> deferred;
  for (Work& work : works_) {
    for (PartJob& part : work.parts) {
      if (is_planned(work, part) && part.action == PartJob::Action::defer) deferred.push_back({&work, &part});
    }
  }
  if (deferred.empty()) return;
  encoder_.for_each(1, [&](std::size_t, trees::Scratch& scratch) {
    for (const PartOfWork& of : deferred) of.work->coder->planner_->decide(*of.part, scratch);
  });
  encoder_.for_each(deferred.size(), [&](std::size_t i, trees::Scratch& scratch) {
    encode_part(*deferred[i].work, *deferred[i].part, scratch);
  });
  for (const PartOfWork& of : deferred) of.work->coder->planner_->note_deferred(*of.part);
}

void GroupEncoder::Group::encode_part(Work& work, PartJob& part, trees::Scratch& scratch) const {
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

bool GroupEncoder::Group::encode_as_leaf(Work& work, const trees::Plan& plan) const {
  const std::optional<chunks::Leaf> leaf = leaf_of(plan);
  if (!leaf || work.parts.size() != 1) return false;
  encode_leaf(*leaf, encoder_.options_.checksum, *work.job, room_);
  work.is_encoded = true;
  trees::EncodedTree& tree = work.parts[0].tree;
  tree.plan = tree.wanted = plan;
  tree.sizes = {{work.job->words.bytes(), work.job->stream_bytes()}};
  return true;
}

void GroupEncoder::Group::exchange_trees(trees::StreamPlanner::Trees which) {
  struct OfCoder {
    StreamCoder* coder;
    std::vector<PartJob*> parts;
  };
  std::vector<OfCoder> coders;
  std::unordered_map<const StreamCoder*, std::size_t> place_of;  // tables may have thousands
  std::vector<std::pair<std::size_t, std::size_t>> tasks;        // of a coder, a part
  for (Work& work : works_) {
    if (work.coder->planner_ == nullptr || !work.coder->planner_->exchanges_trees()) continue;
    const auto [known, is_new] = place_of.try_emplace(work.coder, coders.size());
    if (is_new) coders.push_back({work.coder, {}});
    std::vector<PartJob*>& parts = coders[known->second].parts;
    for (PartJob& part : work.parts) {
      if (!is_planned(work, part)) continue;
      tasks.emplace_back(known->second, parts.size());
      parts.push_back(&part);
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

void GroupEncoder::Group::reconsider() {
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

void GroupEncoder::Group::join_parts() {
  std::vector<Work*> cut;
  for (Work& work : works_) {
    const auto root = [](const PartJob& part) { return part.tree.wanted.nodes[0].encoding; };
    const auto differs = [&](const PartJob& part) { return root(part) != root(work.parts[0]); };
    if (is_planned(work) && work.parts.size() > 1 && work.coder->planner_->joins_parts() &&
        std::none_of(work.parts.begin(), work.parts.end(), differs) && !has_matches_of_whole(work))
      cut.push_back(&work);
  }
  encoder_.for_each(cut.size(), [&](std::size_t i, trees::Scratch& scratch) {
    Work& work = *cut[i];
    const PartJob& longest =
        *std::ranges::max_element(work.parts, {}, [](const PartJob& part) { return part.words.count; });
    PartJob whole;
    whole.words = work.job->words;
    whole.tree = encode_remembered(whole.words, longest.tree.wanted, scratch);
    take_if_shorter(work, std::move(whole));
  });
  std::erase_if(cut, [](const Work* work) { return work->parts.size() > 1 || work->whole != nullptr; });
  search_joined(cut);
}

void GroupEncoder::Group::search_joined(std::span<Work* const> joined) {
  std::vector<Work*> searched;
  const auto searched_of = [&](const Work& work) {
    return std::ranges::find(searched, work.coder, [](const Work* other) { return other->coder; });
  };
  for (Work* const work : joined) {
    if (searched_of(*work) == searched.end()) searched.push_back(work);
  }
  encoder_.for_each(searched.size(), [&](std::size_t i, trees::Scratch& scratch) {
    PartJob whole;
    whole.words = searched[i]->job->words;
    searched[i]->coder->planner_->search(whole, scratch, false);
    take_if_shorter(*searched[i], std::move(whole));
  });
  encoder_.for_each(joined.size(), [&](std::size_t i, trees::Scratch& scratch) {
    const trees::Plan& plan = (*searched_of(*joined[i]))->parts[0].tree.wanted;
    if (plan == joined[i]->parts[0].tree.wanted) return;
    PartJob whole;
    whole.words = joined[i]->job->words;
    whole.tree = encode_remembered(whole.words, plan, scratch);
    take_if_shorter(*joined[i], std::move(whole));
  });
}

void GroupEncoder::Group::take_if_shorter(Work& work, PartJob whole) {
  if (written_bytes(std::span(&whole, 1)) > written_bytes(work.parts)) return;
  work.parts.clear();
  work.parts.push_back(std::move(whole));
}

bool GroupEncoder::Group::has_matches_of_whole(const Work& work) const {
  const auto whole = std::ranges::find_if(
      works_, [&](const Work& other) { return work.whole != nullptr && other.job == work.whole; });
  const auto has_matches = [](const Work& of) {
    return of.parts[0].tree.wanted.nodes[0].encoding == trees::EncodingId::match;
  };
  return whole != works_.end() && has_matches(*whole) && has_matches(work);
}

void GroupEncoder::Group::list_words() {
  for_parts([](const PartJob&) { return true; },
            [](const trees::StreamPlanner& planner, PartJob& part, trees::Scratch& scratch) {
              if (auto tree = best_word_list(part.words, part.tree, planner.objective(), scratch))
                part.tree = std::move(*tree);
            });
}

Status GroupEncoder::Group::begin_accelerating(PartJob::Action action) {
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

Status GroupEncoder::Group::finish_accelerating() {
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

}  // namespace floe::pipeline
