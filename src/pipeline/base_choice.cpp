#include "pipeline/base_choice.hpp"

#include <algorithm>
#include <cstddef>

#include "pipeline/base_column.hpp"
#include "pipeline/base_relations.hpp"

namespace floe::pipeline {
namespace {

using container::BaseColumn;
using rows::ColumnContent;
using rows::Words;

/// Pairs that look good are encoded: so many rows in the middle.
constexpr std::uint64_t trial_rows = 8192;
/// Base columns are looked for among so many before and behind a column; so many of them are tried.
constexpr std::size_t max_distance = 32, max_trials = 2;
/// The parts of the bits, and then of the bytes, that a base column must save.
constexpr std::uint64_t promising_part = 8, worthwhile_part = 32, min_saved_bytes = 64;

struct Saving {
  BaseColumn base;
  std::uint64_t bytes = 0;
};

Words middle_of(const Words& words) {
  const std::uint64_t count = std::min(words.count(), trial_rows);
  const std::size_t width = size_of(words.type());
  Words middle(words.type(), count);
  const auto bytes = words.bytes().subspan((words.count() - count) / 2 * width, count * width);
  std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(middle.data()));
  return middle;
}

class BaseChoice {
 public:
  BaseChoice(std::span<const ColumnContent> columns, const std::vector<bool>& may_have_base,
             const rows::WordsCost& cost, core::Workers& workers)
      : columns_(columns), cost_(cost), samples_(columns.size()), savings_(columns.size()) {
    const auto count = static_cast<std::uint32_t>(columns.size());
    core::for_each_task(workers, count,
                        [this](std::uint32_t column) { samples_[column] = NumberSample(columns_[column]); });
    core::for_each_task(workers, count, [&](std::uint32_t column) {
      if (may_have_base[column]) savings_[column] = worthwhile(column, promising(column));
    });
  }

  /// The base that saves most for all columns together comes first.
  std::vector<std::optional<BaseColumn>> choose() {
    std::vector<std::optional<BaseColumn>> chosen(columns_.size());
    std::vector<bool> is_base(columns_.size());
    const auto for_each_open = [&](const auto& use) {
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        if (chosen[column] || is_base[column]) continue;
        for (const Saving& saving : savings_[column]) {
          if (!chosen[saving.base.index]) use(column, saving);
        }
      }
    };
    for (;;) {
      std::vector<std::uint64_t> saved(columns_.size());
      for_each_open([&](std::size_t, const Saving& saving) { saved[saving.base.index] += saving.bytes; });
      const auto best = std::max_element(saved.begin(), saved.end());
      if (best == saved.end() || *best == 0) return chosen;
      const auto base = static_cast<std::size_t>(best - saved.begin());
      std::vector<std::pair<std::size_t, BaseColumn>> taken;
      for_each_open([&](std::size_t column, const Saving& saving) {
        if (saving.base.index == base) taken.emplace_back(column, saving.base);
      });
      for (const auto& [column, of] : taken) chosen[column] = of;
      is_base[base] = true;
    }
  }

 private:
  /// Relations that leave the fewest bits of a column's sample, one for each base column.
  [[nodiscard]] std::vector<Relation> promising(std::size_t column) const {
    const NumberSample& sample = samples_[column];
    std::vector<Relation> relations;
    if (sample.is_empty()) return relations;
    const std::size_t first = column - std::min(column, max_distance),
                      end = std::min(columns_.size(), column + max_distance + 1);
    for (std::size_t base = first; base < end; ++base) {
      if (base == column || samples_[base].is_empty()) continue;
      const Relation relation = sample.best_relation(samples_[base], static_cast<std::uint32_t>(base));
      if (relation.bits < sample.bits() - sample.bits() / promising_part) relations.push_back(relation);
    }
    std::stable_sort(relations.begin(), relations.end(),
                     [](const Relation& a, const Relation& b) { return a.bits < b.bits; });
    relations.resize(std::min(relations.size(), max_trials));
    return relations;
  }

  /// Those that save bytes.
  [[nodiscard]] std::vector<Saving> worthwhile(std::size_t column,
                                               const std::vector<Relation>& relations) const {
    if (relations.empty()) return {};
    const Words& whole = columns_[column].streams[0];
    const Words words = middle_of(whole);
    const std::uint64_t bytes = cost_(words);
    std::vector<Saving> found;
    for (const Relation& relation : relations) {
      Words rest = words;
      subtract_base(rest, middle_of(columns_[relation.base.index].streams[0]), relation.base);
      const std::uint64_t left = cost_(rest);
      if (left + std::max(bytes / worthwhile_part, min_saved_bytes) < bytes)
        found.push_back({relation.base, (bytes - left) * whole.count() / words.count()});
    }
    return found;
  }

  std::span<const ColumnContent> columns_;
  const rows::WordsCost& cost_;
  std::vector<NumberSample> samples_;
  std::vector<std::vector<Saving>> savings_;  ///< Of each column.
};

}  // namespace

std::vector<std::optional<BaseColumn>> choose_bases(std::span<const ColumnContent> columns,
                                                    const std::vector<bool>& may_have_base,
                                                    const rows::WordsCost& cost, core::Workers& workers) {
  return BaseChoice(columns, may_have_base, cost, workers).choose();
}

}  // namespace floe::pipeline
