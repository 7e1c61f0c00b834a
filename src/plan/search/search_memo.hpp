// What was found out about a stream that is searched several times, with other weights and samples: what does
// not depend on these is done once.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "encodings/encoding_memo.hpp"
#include "plan/search/distinct_words.hpp"
#include "plan/search/far/steps.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// While one exists, searches and encodings of its stream with its scratch memory use it.
class SearchMemo {
 public:
  /// `bytes_of_slow`: see EncodingMemo.
  SearchMemo(const ColumnView& stream, Scratch& scratch, std::uint64_t bytes_of_slow = 0)
      : stream_(stream),
        encodings_(stream, scratch, bytes_of_slow),
        scratch_(scratch),
        outer_(scratch.search_memo) {
    scratch.search_memo = this;
  }
  SearchMemo(const SearchMemo&) = delete;
  SearchMemo& operator=(const SearchMemo&) = delete;
  ~SearchMemo() { scratch_.search_memo = outer_; }

  /// What is found while one exists is forgotten with it.
  class Episode {
   public:
    explicit Episode(SearchMemo& memo)
        : memo_(memo), mark_(memo.encodings_.mark()), found_(memo.found_.size()) {}
    Episode(const Episode&) = delete;
    Episode& operator=(const Episode&) = delete;
    ~Episode() {
      memo_.encodings_.forget_since(mark_);
      memo_.found_.resize(found_);
    }

   private:
    SearchMemo& memo_;
    const EncodingMemo::Mark mark_;
    const std::size_t found_;
  };

  /// How well a search went by which a stream below got its tree.
  enum class Care : std::uint8_t { brief, full };
  /// The tree that was found for a stream that encodings made, where the tree `before` was known, and how
  /// much a sample says that it costs. With full care, what was known before does not matter.
  struct Found {
    ColumnView stream;
    Care care;
    Plan before;
    Plan tree;
    std::uint64_t cost = 0;
  };
  /// What a search would find, or one with more care.
  [[nodiscard]] const Found* find(const ColumnView& stream, Care care, const Plan& before) const {
    const auto serves = [&](const Found& found) {
      return is_same(found.stream, stream) &&
             (found.care == Care::full || (care == Care::brief && found.before == before));
    };
    const auto found = std::find_if(found_.begin(), found_.end(), serves);
    return found == found_.end() ? nullptr : &*found;
  }
  /// Streams that the memo of encodings does not have may soon be others.
  void keep(Found found) {
    if (encodings_.knows(found.stream)) found_.push_back(std::move(found));
  }

  /// The steps of the integers that trees of the stream have below `frame`: what find() returns, which is
  /// called once.
  template <class Find>
  std::vector<StepChoice> steps(const ColumnView& stream, const std::vector<PlanNode>& frame,
                                std::size_t max_count, const Find& find) {
    if (!is_same(stream, stream_)) return find();
    const auto serves = [&](const FoundSteps& known) {
      return known.frame == frame && known.max_count == max_count;
    };
    const auto known = std::find_if(steps_.begin(), steps_.end(), serves);
    if (known != steps_.end()) return known->choices;
    return steps_.emplace_back(FoundSteps{frame, max_count, find()}).choices;
  }

  /// How many different words there are: what count() returns, which is called once.
  template <class Count>
  DistinctCount distinct_words(const ColumnView& stream, const Count& count) {
    if (!is_same(stream, stream_)) return count();
    if (!distinct_) distinct_ = count();
    return *distinct_;
  }

  /// The lattices of the floats: what find() returns, which is called once. Other streams for which trees are
  /// searched meanwhile are shorter, or have integers.
  template <class Find>
  std::optional<PlanNode> lattices(DType type, std::uint64_t count, const Find& find) {
    if (type != stream_.type || count != stream_.count) return find();
    if (!lattices_) lattices_ = find();
    return *lattices_;
  }

 private:
  static bool is_same(const ColumnView& a, const ColumnView& b) {
    return a.values == b.values && a.count == b.count && a.type == b.type;
  }
  struct FoundSteps {
    std::vector<PlanNode> frame;
    std::size_t max_count;
    std::vector<StepChoice> choices;
  };

  const ColumnView stream_;
  EncodingMemo encodings_;
  Scratch& scratch_;
  SearchMemo* const outer_;
  std::vector<Found> found_;
  std::vector<FoundSteps> steps_;
  std::optional<std::optional<PlanNode>> lattices_;
  std::optional<DistinctCount> distinct_;
};

}  // namespace floe::trees
