// Exceptions: the cells that do not fit the cell format of their column.
#pragma once

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rows/cells/column_content.hpp"

namespace floe::rows {

/// Collects the exceptions of a column, row by row, and their codes.
class ExceptionCollector {
 public:
  explicit ExceptionCollector(std::uint32_t row_count) : row_count_(row_count) {}

  void add(std::uint32_t row, std::string_view text) {
    rows_.push_back(row);
    const auto [entry, is_new] = indices_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) {
      texts_.push_back(text);
      uses_.push_back(0);
    }
    ++uses_[entry->second];
    text_indices_.push_back(entry->second);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const noexcept { return rows_; }

  /// Appends the streams of codes and exceptions and sets what the format says of them; does nothing without
  /// exceptions.
  void finish(ColumnContent& content) const {
    if (rows_.empty()) return;
    // The most frequent texts get codes of their own, in the order in which they appear; those that stand
    // there once get none.
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < texts_.size(); ++i) {
      if (uses_[i] > 1) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return uses_[a] > uses_[b]; });
    if (order.size() > max_listed_exceptions) order.resize(max_listed_exceptions);
    std::sort(order.begin(), order.end());

    std::vector<std::uint8_t> code_of_text(texts_.size(), unlisted_exception);
    TextList texts;
    for (const std::uint32_t text : order) {
      texts.add(texts_[text]);
      code_of_text[text] = static_cast<std::uint8_t>(texts.count());
    }
    content.format.has_exceptions = true;
    content.format.listed_exceptions = static_cast<std::uint8_t>(order.size());
    Words codes(DType::u8, row_count_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::uint8_t code = code_of_text[text_indices_[i]];
      codes.as<std::uint8_t>()[rows_[i]] = code;
      if (code == unlisted_exception) texts.add(texts_[text_indices_[i]]);
    }
    content.streams.push_back(std::move(codes));
    texts.append_to(content.streams);
  }

 private:
  std::uint32_t row_count_;
  std::vector<std::uint32_t> rows_, text_indices_;
  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> uses_;
  std::unordered_map<std::string_view, std::uint32_t> indices_;
};

/// Gives the numbers of exceptions, whose rows ascend, the value before them, or the first one that is
/// there, so that they cost little.
template <class T>
void fill_exceptions(std::span<T> values, const std::vector<std::uint32_t>& rows) {
  std::size_t first = 0;
  while (first < rows.size() && rows[first] == first) ++first;
  const T before = first < values.size() ? values[first] : T{};
  for (std::size_t i = 0; i < rows.size(); ++i) values[rows[i]] = i < first ? before : values[rows[i] - 1];
}

}  // namespace floe::rows
