#include "plan/look_ahead/look_ahead.hpp"

#include "plan/planned_encoding.hpp"

namespace floe::series {
namespace {

/// Takes blocks of memory until it is told to stop.
class StoppableWork {
 public:
  StoppableWork(Scratch& scratch, const std::atomic<bool>& stop) : scratch_(scratch) { scratch_.stop_at(&stop); }
  StoppableWork(const StoppableWork&) = delete;
  StoppableWork& operator=(const StoppableWork&) = delete;
  ~StoppableWork() { scratch_.stop_at(nullptr); }

 private:
  Scratch& scratch_;
};

}  // namespace

bool LookAhead::step(Scratch& scratch) noexcept {
  std::size_t step = 0;
  {
    const std::lock_guard lock(mutex_);
    step = steps_done_;
    if (is_stopped_ || segment_.count == 0 || (step > 0 && step > parts_.size())) return false;
    is_working_ = true;
  }
  bool is_good = true;
  try {
    const StoppableWork work(scratch, is_stopped_);
    if (step == 0) {
      look();
    } else {
      encode(parts_[step - 1], scratch);
    }
  } catch (const std::exception&) {  // told to stop, or no memory
    is_good = false;
  }
  const std::lock_guard lock(mutex_);
  is_working_ = false;
  if (is_good) ++steps_done_;
  if (!is_good) is_stopped_ = true;
  step_done_.notify_all();
  return !is_stopped_ && step < parts_.size();
}

void LookAhead::look() {
  std::vector<std::uint64_t> counts = outlook_.fixed ? std::vector<std::uint64_t>{segment_.count} : partition(segment_, outlook_.look);
  const auto* values = static_cast<const std::uint8_t*>(segment_.values);
  parts_.reserve(counts.size());
  for (const std::uint64_t count : counts) {
    const ColumnView part{segment_.type, values, count};
    parts_.push_back(PartAhead(*this, parts_.size(), outlook_.fixed ? Fingerprint{} : fingerprint_of(part)));
    parts_.back().guess_ = guess_of(parts_.back().fingerprint_);
    values += part.bytes();
  }
  counts_ = std::move(counts);
}

std::optional<Plan> LookAhead::guess_of(const Fingerprint& fingerprint) {
  if (outlook_.fixed) return outlook_.fixed;
  const Regime* const regime = outlook_.regimes.nearest(fingerprint);
  return regime == nullptr ? std::nullopt : std::optional(regime->plan);
}

void LookAhead::encode(PartAhead& part, Scratch& scratch) {
  const auto* values = static_cast<const std::uint8_t*>(segment_.values);
  for (std::size_t i = 0; i < part.index_; ++i) values += counts_[i] * size_of(segment_.type);
  const ColumnView words{segment_.type, values, counts_[part.index_]};
  part.tree_ = outlook_.fixed ? encode_tree(words, *part.guess_, scratch)
               : part.guess_  ? encode_remembered(words, *part.guess_, scratch)
                              : encode_searched(words, outlook_.objective, scratch);
}

template <class IsWanted>
bool LookAhead::is_done(std::unique_lock<std::mutex>& lock, std::size_t step, const IsWanted& is_wanted) {
  if (is_working_ && steps_done_ == step && is_wanted()) {
    if (on_wait_) on_wait_(true);
    step_done_.wait(lock, [&] { return !is_working_ || steps_done_ > step; });
    if (on_wait_) on_wait_(false);
  }
  if (steps_done_ > step) return true;
  is_stopped_ = true;
  return false;
}

const std::vector<std::uint64_t>* LookAhead::parts(Look look) {
  std::unique_lock lock(mutex_);
  if (!is_done(lock, 0, [] { return true; })) return nullptr;
  return outlook_.look == look ? &counts_ : nullptr;
}

PartAhead* LookAhead::parts_like(const std::vector<std::uint64_t>& counts) {
  std::unique_lock lock(mutex_);
  if (is_done(lock, 0, [] { return true; }) && counts_ == counts) return parts_.data();
  is_stopped_ = true;
  return nullptr;
}

std::optional<EncodedTree> PartAhead::take_encoded(const Plan& plan) {
  std::unique_lock lock(of_->mutex_);
  if (!of_->is_done(lock, index_ + 1, [&] { return guess_ == plan; }) || !tree_) return std::nullopt;
  // A search may have found the same tree, with the same bytes, unless it planned children at other places.
  const bool is_it = guess_ ? *guess_ == plan : tree_->wanted == plan && fits_everywhere(tree_->plan, tree_->wanted);
  return is_it ? std::exchange(tree_, std::nullopt) : std::nullopt;
}

std::optional<EncodedTree> PartAhead::take_searched() {
  std::unique_lock lock(of_->mutex_);
  if (!of_->is_done(lock, index_ + 1, [&] { return !guess_; }) || guess_ || !tree_) return std::nullopt;
  return std::exchange(tree_, std::nullopt);
}

}  // namespace floe::series
