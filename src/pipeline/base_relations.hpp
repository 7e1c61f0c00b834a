// Ways to reckon the numbers of a column from those of another one, and what they leave: by samples of both.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "container/parts.hpp"
#include "rows/cells/column_content.hpp"

namespace floe::pipeline {

struct Relation {
  container::BaseColumn base;
  std::uint64_t bits = 0;  ///< Of the differences of the sample, about.
};

/// Windows of a column's whole numbers, at the same rows in all columns of a segment.
class NumberSample {
 public:
  NumberSample() = default;
  /// Empty if the column has no whole numbers, or too few.
  explicit NumberSample(const rows::ColumnContent& column);

  [[nodiscard]] bool is_empty() const { return numbers_.empty(); }
  [[nodiscard]] std::uint64_t bits() const { return bits_; }
  /// The relation to a base column, number `index`, that leaves the fewest bits: equal units, a power of ten,
  /// or the slope of the line through the points. If none leaves fewer than bits(), that many. Precondition:
  /// both are not empty.
  [[nodiscard]] Relation best_relation(const NumberSample& base, std::uint32_t index) const;

 private:
  /// The slope, if the points lie near a line.
  [[nodiscard]] std::optional<container::BaseColumn> line_from(const NumberSample& base,
                                                               std::uint32_t index) const;
  [[nodiscard]] std::uint64_t bits_less(const NumberSample& base,
                                        const container::BaseColumn& relation) const;

  std::vector<std::int64_t> numbers_;
  int digits_ = 0;  ///< Behind the point, of the values that they stand for.
  std::uint64_t bits_ = 0;
  std::vector<std::int64_t> distances_;  ///< From their mean, shifted to less than 2^20.
  int shift_ = 0;
  std::int64_t variance_ = 0;
};

}  // namespace floe::pipeline
