// What can be done for a segment before its turn comes, while the one before it is still being encoded? Everything that depends on its
// words and a guess: where it changes its kind, the fingerprints, and with the tree that will probably be chosen even the bytes. An encoder
// takes what it wants the same way and drops the rest, so a look ahead never changes the bytes, whenever it began and however far it came.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "plan/objective.hpp"
#include "plan/partition.hpp"
#include "plan/regimes.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::series {

/// What an encoder knows between two segments, to guess what it will do with the next one.
struct Outlook {
  std::optional<Plan> fixed;  ///< The tree of all segments; else the planner's
  Objective objective;
  Regimes regimes;
  Look look = Look::close;
};

class LookAhead;

/// A part of the segment, for the thread that encodes it.
class PartAhead {
 public:
  [[nodiscard]] const Fingerprint& fingerprint() const { return fingerprint_; }
  /// What encode_remembered makes of the part, or encode_tree if the tree is fixed; none if something else was guessed. Waits if just this
  /// is being done, otherwise the rest of the segment is looked at no more.
  std::optional<EncodedTree> take_encoded(const Plan& plan);
  /// The same for encode_searched.
  std::optional<EncodedTree> take_searched();

 private:
  friend class LookAhead;
  PartAhead(LookAhead& of, std::size_t index, const Fingerprint& fingerprint) : of_(&of), index_(index), fingerprint_(fingerprint) {}

  LookAhead* of_;
  std::size_t index_;
  Fingerprint fingerprint_;
  std::optional<Plan> guess_;  ///< The tree; none for a search.
  std::optional<EncodedTree> tree_;
};

/// One segment. One thread takes the steps, another one encodes.
class LookAhead {
 public:
  /// Called with true before the encoder waits and with false afterwards, so that its processor can do something else. Must not throw.
  using OnWait = std::function<void(bool is_waiting)>;

  /// The words must stay until the last step is done.
  LookAhead(const ColumnView& segment, Outlook outlook, OnWait on_wait = {})
      : segment_(segment), outlook_(std::move(outlook)), on_wait_(std::move(on_wait)) {}
  LookAhead(const LookAhead&) = delete;
  LookAhead& operator=(const LookAhead&) = delete;

  /// Does the next step: looks at the segment first, then encodes part by part. False if nothing is left to do, if the encoder was faster,
  /// or without memory.
  bool step(Scratch& scratch) noexcept;
  /// The step that is being done, if there is one, ends soon, and no other follows.
  void stop() noexcept { is_stopped_ = true; }

  // For the encoder:

  /// Lengths of the parts, if somebody looked so closely; null otherwise. Waits if this is being done, else it will not be begun any more.
  const std::vector<std::uint64_t>* parts(Look look);
  /// The parts, if the segment was cut into these; null otherwise.
  PartAhead* parts_like(const std::vector<std::uint64_t>& counts);

 private:
  friend class PartAhead;
  void look();
  void encode(PartAhead& part, Scratch& scratch);
  [[nodiscard]] std::optional<Plan> guess_of(const Fingerprint& fingerprint);
  /// Whether the step is done, after waiting if it is being done and `is_wanted`. Stops what the encoder does not wait for.
  template <class IsWanted>
  bool is_done(std::unique_lock<std::mutex>& lock, std::size_t step, const IsWanted& is_wanted);

  const ColumnView segment_;
  Outlook outlook_;
  const OnWait on_wait_;
  std::mutex mutex_;
  std::condition_variable step_done_;
  std::atomic<bool> is_stopped_ = false;
  bool is_working_ = false;
  std::size_t steps_done_ = 0;  ///< The first one looks; the others are those of the parts.
  std::vector<std::uint64_t> counts_;
  std::vector<PartAhead> parts_;
};

}  // namespace floe::series
