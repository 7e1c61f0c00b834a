#include "rows/cells/column_reader.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "rows/cells/exceptions.hpp"
#include "rows/cells/number_readers.hpp"

namespace floe::rows {
namespace {

/// Words pay off while they are few beside the cells.
bool are_few(std::size_t words, std::uint32_t cells) { return words <= 16 || words <= cells / 4; }

bool looks_repetitive(const ColumnCells& cells) {
  constexpr std::uint32_t probes = 4096;
  std::unordered_map<std::string_view, char> seen;
  const std::uint32_t count = std::min(cells.count(), probes);
  for (std::uint32_t i = 0; i < count; ++i)
    seen.emplace(cells.raw(static_cast<std::uint32_t>(std::uint64_t{i} * cells.count() / count)), 0);
  return seen.size() <= 16 || seen.size() <= count / 2;
}

/// Each text once, in the order in which they appear, and a code per cell; without codes where most texts
/// differ.
ColumnContent read_texts(const ColumnCells& cells) {
  ColumnContent content;
  if (looks_repetitive(cells)) {
    std::unordered_map<std::string_view, std::uint32_t> codes_by_text;
    TextList words;
    std::vector<std::uint32_t> codes(cells.count());
    std::string_view last;
    std::uint32_t last_code = 0, row = 0;
    for (; row < cells.count() && are_few(codes_by_text.size(), cells.count()); ++row) {
      const std::string_view text = cells.raw(row);
      if (row == 0 || text != last) {
        const auto [entry, is_new] =
            codes_by_text.try_emplace(text, static_cast<std::uint32_t>(codes_by_text.size()));
        if (is_new) words.add(text);
        last = text;
        last_code = entry->second;
      }
      codes[row] = last_code;
    }
    if (row == cells.count() && are_few(codes_by_text.size(), cells.count())) {
      content.format.kind = CellKind::words;
      words.append_to(content.streams);
      content.streams.push_back(narrowed_codes(
          codes, static_cast<std::uint32_t>(std::max<std::size_t>(codes_by_text.size(), 1) - 1)));
      return content;
    }
  }
  TextList texts;
  for (std::uint32_t row = 0; row < cells.count(); ++row) texts.add(cells.raw(row));
  content.format.kind = CellKind::text;
  texts.append_to(content.streams);
  return content;
}

/// Rows of a column that stand for all, evenly spread.
std::vector<std::uint32_t> spread_rows(std::uint32_t row_count, std::uint32_t max_count) {
  const std::uint32_t count = std::min(row_count, max_count);
  std::vector<std::uint32_t> rows(count);
  for (std::uint32_t i = 0; i < count; ++i)
    rows[i] = static_cast<std::uint32_t>(std::uint64_t{i} * row_count / count);
  return rows;
}

/// Rows in runs, so that neighbours stay neighbours.
std::vector<std::uint32_t> runs_of_rows(std::uint32_t row_count) {
  constexpr std::uint32_t runs = 8, run_rows = 1024;
  if (row_count <= runs * run_rows) return spread_rows(row_count, row_count);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const auto first = static_cast<std::uint32_t>(std::uint64_t{run} * (row_count - run_rows) / (runs - 1));
    for (std::uint32_t i = 0; i < run_rows; ++i) rows.push_back(first + i);
  }
  return rows;
}

/// What the cells of a column seem to be.
struct Impression {
  bool is_quoted = false;
  bool has_decimals = false;  ///< Most numbers are plain decimals.
  bool has_floats = false;    ///< Some numbers are not.
  bool omits_zero = false;    ///< More are written like .5 than like 0.5.
  std::optional<TimeFormat> times;
};

bool is_number(std::string_view text) {
  double value = 0;
  return parse_float(text, value) && std::isfinite(value);
}

/// Negative zeros have no place among decimals, but do not speak against them.
bool looks_decimal(std::string_view text) {
  Decimal decimal;
  if (text.starts_with('-')) text.remove_prefix(1);
  return parse_any_decimal(text, decimal);
}

/// Columns may lack many values: then a few texts such as "" or "NA" stand where numbers could.
bool are_enough(std::size_t fitting, std::size_t others, std::size_t kinds_of_others) {
  return fitting > 0 && (others <= fitting / 3 || (kinds_of_others <= 4 && fitting * 32 >= others));
}

Impression look_at(const CellIndex& index, std::uint32_t column, std::span<const std::uint32_t> rows) {
  Impression impression;
  const ColumnCells raw(index, column);
  std::size_t quoted = 0;
  for (const std::uint32_t row : rows) quoted += raw.raw(row).starts_with('"');
  impression.is_quoted = quoted > rows.size() / 2;

  const ColumnCells cells(index, column, impression.is_quoted);
  std::size_t decimals = 0, floats = 0, times = 0, with_zero = 0, without_zero = 0;
  std::unordered_set<std::string_view> other_texts;
  for (const std::uint32_t row : rows) {
    const std::string_view text = cells.value(row);
    std::int64_t time = 0;
    if (looks_decimal(text)) {
      ++decimals;
      const std::string_view magnitude = text.substr(text.starts_with('-') ? 1 : 0);
      without_zero += magnitude.starts_with('.');
      with_zero += magnitude.starts_with("0.");
    } else if (is_number(text)) {
      ++floats;
    } else if (!impression.times && (impression.times = recognize_time(text))) {
      ++times;
    } else if (impression.times && parse_time(text, *impression.times, time)) {
      ++times;
    } else {
      other_texts.insert(text);
    }
  }
  const std::size_t numbers = decimals + floats;
  impression.omits_zero = without_zero > with_zero;
  if (!are_enough(times, rows.size() - times, other_texts.size() + numbers)) impression.times.reset();
  if (are_enough(numbers, rows.size() - numbers, other_texts.size() + times)) {
    impression.has_decimals = decimals >= floats * 16;
    impression.has_floats = floats > 0;
  }
  return impression;
}

ColumnContent read_times(const ColumnCells& cells, const TimeFormat& format, bool is_quoted) {
  ColumnContent content;
  content.format.kind = CellKind::time;
  content.format.is_quoted = is_quoted;
  content.format.times = format;
  Words numbers(DType::i64, cells.count());
  const std::span<std::int64_t> values = numbers.as<std::int64_t>();
  ExceptionCollector exceptions(cells.count());
  for (std::uint32_t row = 0; row < cells.count(); ++row) {
    if (!parse_time(cells.value(row), format, values[row])) exceptions.add(row, cells.raw(row));
  }
  fill_exceptions(values, exceptions.rows());
  content.range = range_of(DType::i64, values.data(), values.size());
  content.streams.push_back(std::move(numbers));
  exceptions.finish(content);
  return content;
}

/// An exception costs about its text and its position.
constexpr std::uint64_t bytes_per_misfit = 12;

struct Candidate {
  enum class Kind { shape, free, floats } kind;
  std::uint64_t cost_bytes;
};

/// Chooses among the ways in which a column of decimals can be written, by what a part of it costs in each.
class DecimalColumn {
 public:
  DecimalColumn(const ColumnCells& cells, const Impression& impression, const ReadOptions& options)
      : cells_(cells),
        is_quoted_(impression.is_quoted),
        options_(options),
        parsed_(parse_decimals(cells, impression.omits_zero && options.keep_text, options.keep_text)) {}

  ColumnContent read() {
    const std::optional<DecimalShape> shape = best_shape(parsed_, options_.keep_text);
    if (!shape) return read_texts(cells_);
    if (shape->misfits == 0 && (shape->decimals == shape->min_decimals || !options_.keep_text))
      return in_shape(*shape);
    switch (choose(*shape)) {
      case Candidate::Kind::shape:
        return in_shape(*shape);
      case Candidate::Kind::free:
        return free_decimals(cells_, parsed_, is_quoted_);
      case Candidate::Kind::floats:
        break;
    }
    return read_floats(cells_, *floats_, is_quoted_, options_.keep_text);
  }

 private:
  ColumnContent in_shape(const DecimalShape& shape) const {
    return decimals_in_shape(cells_, parsed_, shape, is_quoted_, options_.keep_text);
  }

  Candidate::Kind choose(const DecimalShape& shape) {
    const std::vector<std::uint32_t> rows = runs_of_rows(cells_.count());
    std::vector<std::int64_t> scaled, own;
    Words decimals(DType::u8, rows.size());
    std::uint64_t misfits = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t row = rows[i];
      const bool is_decimal = parsed_.is_decimal(row);
      std::int64_t value = 0;
      const bool fits = is_decimal && fits_shape(parsed_.mantissas[row], parsed_.decimals[row], shape,
                                                 options_.keep_text, value);
      misfits += is_decimal && !fits;
      scaled.push_back(fits ? value : scaled.empty() ? 0 : scaled.back());
      own.push_back(is_decimal ? parsed_.mantissas[row] : own.empty() ? 0 : own.back());
      const std::uint8_t before = i == 0 ? std::uint8_t{0} : decimals.as<std::uint8_t>()[i - 1];
      decimals.as<std::uint8_t>()[i] = is_decimal ? parsed_.decimals[row] : before;
    }
    Candidate best{Candidate::Kind::shape, options_.cost(narrowed(scaled)) + misfits * bytes_per_misfit};
    const auto compare = [&best](Candidate::Kind kind, std::uint64_t cost_bytes) {
      if (cost_bytes < best.cost_bytes) best = {kind, cost_bytes};
    };
    compare(Candidate::Kind::free, options_.cost(narrowed(own)) + options_.cost(decimals));
    floats_ = guess_floats(cells_, spread_rows(cells_.count(), 256), options_.keep_text);
    if (floats_) compare(Candidate::Kind::floats, options_.cost(sample_floats(cells_, *floats_, rows)));
    return best.kind;
  }

  const ColumnCells& cells_;
  bool is_quoted_;
  const ReadOptions& options_;
  ParsedDecimals parsed_;
  std::optional<FloatGuess> floats_;
};

/// Whether most cells turned out not to be what a few of them looked like.
bool is_mostly_exceptions(const ColumnContent& content, std::uint32_t row_count) {
  if (!content.format.has_exceptions) return false;
  const Words& lengths = content.streams[content.streams.size() - 2];
  return lengths.count() - content.format.listed_exceptions > row_count / 4 + 8;
}

}  // namespace

ColumnContent read_column(const CellIndex& cells, std::uint32_t column, const ReadOptions& options) {
  const Impression impression = look_at(cells, column, spread_rows(cells.row_count(), 1024));
  const ColumnCells values(cells, column, impression.is_quoted);
  std::optional<ColumnContent> content;
  if (impression.has_decimals) {
    content = DecimalColumn(values, impression, options).read();
  } else if (impression.has_floats) {
    const auto guess = guess_floats(values, spread_rows(cells.row_count(), 1024), options.keep_text);
    if (guess) content = read_floats(values, *guess, impression.is_quoted, options.keep_text);
  } else if (impression.times) {
    content = read_times(values, *impression.times, impression.is_quoted);
  }
  if (content && !is_mostly_exceptions(*content, cells.row_count())) return std::move(*content);
  return read_texts(values);
}

}  // namespace floe::rows
