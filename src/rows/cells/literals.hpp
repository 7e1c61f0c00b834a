// Which cells are not written in their column's way, and how are they kept?
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rows/cells/column_content.hpp"

namespace floe::rows {

/// Collects the literals of a column, row by row, and their marks.
class LiteralCollector {
 public:
  explicit LiteralCollector(std::uint32_t row_count) : row_count_(row_count) {}

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
  [[nodiscard]] std::size_t count() const noexcept { return rows_.size(); }
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const noexcept { return rows_; }

  /// Appends the streams of marks and literals and sets what the writing says of them; does nothing without
  /// literals.
  void finish(ColumnContent& content) const {
    if (rows_.empty()) return;
    // The most frequent texts get marks of their own, in the order in which they appear; those that stand
    // there once get none.
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < texts_.size(); ++i) {
      if (uses_[i] > 1) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return uses_[a] > uses_[b]; });
    if (order.size() > max_listed_exceptions) order.resize(max_listed_exceptions);
    std::sort(order.begin(), order.end());

    std::vector<std::uint8_t> mark_of_text(texts_.size(), unlisted_exception);
    std::vector<std::uint32_t> lengths;
    std::string bytes;
    const auto put = [&](std::string_view text) {
      lengths.push_back(static_cast<std::uint32_t>(text.size()));
      bytes += text;
    };
    for (const std::uint32_t text : order) {
      put(texts_[text]);
      mark_of_text[text] = static_cast<std::uint8_t>(lengths.size());
    }
    content.format.has_exceptions = true;
    content.format.listed_exceptions = static_cast<std::uint8_t>(order.size());
    Words marks(DType::u8, row_count_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::uint8_t mark = mark_of_text[text_indices_[i]];
      marks.as<std::uint8_t>()[rows_[i]] = mark;
      if (mark == unlisted_exception) put(texts_[text_indices_[i]]);
    }
    content.streams.push_back(std::move(marks));
    content.streams.push_back(
        narrowed_codes(lengths, lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end())));
    content.streams.push_back(byte_words(bytes));
  }

 private:
  std::uint32_t row_count_;
  std::vector<std::uint32_t> rows_, text_indices_;
  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> uses_;
  std::unordered_map<std::string_view, std::uint32_t> indices_;
};

/// Gives the numbers of marked cells, whose rows ascend, the value before them, or the first one that is
/// there, so that they cost little.
template <class T>
void fill_marked(std::span<T> values, const std::vector<std::uint32_t>& rows) {
  std::size_t first = 0;
  while (first < rows.size() && rows[first] == first) ++first;
  const T before = first < values.size() ? values[first] : T{};
  for (std::size_t i = 0; i < rows.size(); ++i) values[rows[i]] = i < first ? before : values[rows[i] - 1];
}

}  // namespace floe::rows
