#include "rows/csv/cell_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace floe::rows {
namespace {

/// Bit i is set if byte i of the 64 is a separator, a line feed or a quote.
class StructureMask {
 public:
  StructureMask(char separator, char line_end, char quote) noexcept
      : characters_{separator, line_end, quote} {}

#if defined(__SSE2__)
  [[nodiscard]] std::uint64_t of(const char* bytes) const noexcept {
    const __m128i separator = _mm_set1_epi8(characters_[0]), line_end = _mm_set1_epi8(characters_[1]),
                  quote = _mm_set1_epi8(characters_[2]);
    std::uint64_t mask = 0;
    for (unsigned part = 0; part < 4; ++part) {
      const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
      const __m128i hits =
          _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(sixteen, separator), _mm_cmpeq_epi8(sixteen, line_end)),
                       _mm_cmpeq_epi8(sixteen, quote));
      mask |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(hits))} << (16 * part);
    }
    return mask;
  }
#else
  [[nodiscard]] std::uint64_t of(const char* bytes) const noexcept {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 64; ++i) {
      const bool hit = bytes[i] == characters_[0] || bytes[i] == characters_[1] || bytes[i] == characters_[2];
      mask |= std::uint64_t{hit} << i;
    }
    return mask;
  }
#endif

 private:
  char characters_[3];
};

}  // namespace

/// Walks over the characters that structure a text, in their order.
class CellScanner {
 public:
  CellScanner(CellIndex& index, const Dialect& dialect, std::uint32_t row_limit)
      : index_(index),
        text_(index.text_),
        dialect_(dialect),
        mask_(dialect.separator, '\n', '"'),
        row_limit_(row_limit) {}

  void scan(bool is_last) {
    reserve();
    while (index_.row_count() < row_limit_) {
      const std::size_t at = next();
      if (at == text_.size()) break;
      if (text_[at] == '"') {
        skip_quoted(at);
      } else if (text_[at] == '\n') {
        end_line(at, at + 1);
      } else {
        end_cell(at);
      }
    }
    if (is_last && index_.row_count() < row_limit_ && line_begin_ < text_.size()) {
      end_line(text_.size(), text_.size());
    } else {
      drop_open_cells();
    }
    index_.consumed_bytes_ = line_begin_;
  }

 private:
  /// Room for as many rows as the first lines let expect, and no more than the text can hold: each has a byte
  /// for every column.
  void reserve() {
    std::size_t line_bytes = 0, lines = 0;
    for (; lines < 16 && line_bytes < text_.size(); ++lines)
      line_bytes = std::min(text_.find('\n', line_bytes), text_.size() - 1) + 1;
    if (lines == 0) return;
    const std::size_t rows = std::min<std::size_t>({row_limit_, text_.size() * lines / line_bytes + 16,
                                                    text_.size() / std::max(index_.column_count_, 1u) + 1});
    index_.row_begins_.reserve(rows);
    index_.ends_.reserve(rows * index_.column_count_);
  }

  /// The position of the next separator, line feed or quote; the size of the text if there is none.
  std::size_t next() {
    while (pending_ == 0) {
      block_ += 64;
      if (block_ >= text_.size()) return text_.size();
      load_block();
    }
    const auto bit = static_cast<std::size_t>(std::countr_zero(pending_));
    pending_ &= pending_ - 1;
    return block_ + bit;
  }

  void load_block() {
    if (text_.size() - block_ >= 64) {
      pending_ = mask_.of(text_.data() + block_);
      return;
    }
    char padded[64] = {};
    std::memcpy(padded, text_.data() + block_, text_.size() - block_);
    pending_ = mask_.of(padded) & ((std::uint64_t{1} << (text_.size() - block_)) - 1);
  }

  /// Goes on behind `position`, forgetting what was found up to there.
  void jump_behind(std::size_t position) {
    block_ = (position + 1) / 64 * 64;
    pending_ = 0;
    if (block_ >= text_.size()) return;
    load_block();
    pending_ &= ~std::uint64_t{0} << ((position + 1) % 64);
  }

  /// A quote that opens a cell hides what stands up to its closing quote. Without a closing quote it is a
  /// character like any other.
  void skip_quoted(std::size_t at) {
    if (at != cell_begin_) return;
    std::size_t close = at;
    for (;;) {
      close = text_.find('"', close + 1);
      if (close == std::string_view::npos || close - at > CellIndex::longest_quoted_bytes) return;
      if (close + 1 == text_.size() || text_[close + 1] != '"') break;
      ++close;  // a doubled quote stands for one
    }
    lines_in_quotes_ +=
        static_cast<std::uint64_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at),
                                              text_.begin() + static_cast<std::ptrdiff_t>(close), '\n'));
    jump_behind(close);
  }

  void end_cell(std::size_t at) {
    // More cells than columns are only counted.
    if (++cell_count_ <= index_.column_count_) index_.ends_.push_back(static_cast<std::uint32_t>(at));
    cell_begin_ = at + 1;
  }

  /// A line whose contents end at `end`; the next begins at `next_line`.
  void end_line(std::size_t end, std::size_t next_line) {
    const bool has_line_end = next_line != end;
    bool is_row = true;
    if (dialect_.crlf && has_line_end) {
      is_row = end > line_begin_ && text_[end - 1] == '\r';
      if (is_row) --end;
    }
    const bool is_empty = end == line_begin_;
    end_cell(end);
    is_row = is_row && cell_count_ == index_.column_count_ && !(is_empty && !has_line_end);
    if (is_row) {
      index_.row_begins_.push_back(static_cast<std::uint32_t>(line_begin_));
      index_.lacks_last_line_end_ = !has_line_end;
    } else {
      index_.malformed_.push_back({index_.row_count(), static_cast<std::uint32_t>(line_begin_),
                                   static_cast<std::uint32_t>(next_line), index_.line_count_,
                                   is_empty ? 0 : cell_count_});
      drop_open_cells();
    }
    index_.line_count_ += 1 + lines_in_quotes_;
    lines_in_quotes_ = 0;
    cell_count_ = 0;
    line_begin_ = cell_begin_ = next_line;
  }

  void drop_open_cells() { index_.ends_.resize(index_.row_begins_.size() * index_.column_count_); }

  CellIndex& index_;
  std::string_view text_;
  Dialect dialect_;
  StructureMask mask_;
  std::uint32_t row_limit_;
  std::size_t block_ = static_cast<std::size_t>(-64);
  std::uint64_t pending_ = 0;
  std::size_t line_begin_ = 0, cell_begin_ = 0;
  std::uint32_t cell_count_ = 0;
  std::uint64_t lines_in_quotes_ = 0;
};

void CellIndex::build(std::string_view text, const Dialect& dialect, std::uint32_t column_count,
                      std::uint32_t row_limit, bool is_last) {
  text_ = text;
  column_count_ = column_count;
  row_begins_.clear();
  ends_.clear();
  malformed_.clear();
  line_count_ = 0;
  lacks_last_line_end_ = false;
  CellScanner(*this, dialect, row_limit).scan(is_last);
}

std::vector<Words> malformed_words(std::string_view text, const std::vector<MalformedLine>& lines) {
  if (lines.empty()) return {};
  const std::uint64_t bytes = std::accumulate(
      lines.begin(), lines.end(), std::uint64_t{0},
      [](std::uint64_t sum, const MalformedLine& line) { return sum + line.end - line.begin; });
  std::vector<Words> words = {{DType::u32, lines.size()}, {DType::u32, lines.size()}, {DType::u8, bytes}};
  auto to = words[2].as<char>().begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    words[0].as<std::uint32_t>()[i] = lines[i].before_row;
    words[1].as<std::uint32_t>()[i] = lines[i].end - lines[i].begin;
    to = std::copy(text.begin() + lines[i].begin, text.begin() + lines[i].end, to);
  }
  return words;
}

}  // namespace floe::rows
