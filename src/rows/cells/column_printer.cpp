#include "rows/cells/column_printer.hpp"

#include <algorithm>
#include <cstring>

namespace floe::rows {
namespace {

constexpr Status wrong(const char* detail) { return {ErrorCode::corrupt_frame, 0, detail}; }

char* put(char* to, std::string_view text) noexcept {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

std::size_t longest_number_bytes(const CellFormat& format) {
  const std::size_t bytes = format.kind == CellKind::time ? longest_time_bytes
                            : format.kind == CellKind::f32 || format.kind == CellKind::f64
                                ? longest_float_bytes
                                : longest_decimal_bytes;
  return bytes + 2;  // quotes
}

}  // namespace

Status TextTable::build(const Words& lengths, const Words& bytes) {
  begins_.assign(1, 0);
  begins_.reserve(lengths.count() + 1);
  bytes_ = reinterpret_cast<const char*>(bytes.bytes().data());
  for (std::uint64_t i = 0; i < lengths.count(); ++i) {
    const auto length = static_cast<std::uint64_t>(lengths.integer(i));
    if (length > bytes.count() - begins_.back()) return wrong("texts are longer than their bytes");
    longest_bytes_ = std::max<std::size_t>(longest_bytes_, length);
    begins_.push_back(begins_.back() + length);
  }
  return begins_.back() == bytes.count() ? Status{} : wrong("texts are shorter than their bytes");
}

Status ColumnPrinter::open(const ColumnContent& content, std::uint32_t row_count) {
  content_ = &content;
  const CellFormat& format = content.format;
  if (const Status status = open_exceptions(row_count); !status.ok()) return status;
  if (format.kind == CellKind::words || format.kind == CellKind::text) {
    if (const Status status = texts_.build(content.streams[0], content.streams[1]); !status.ok())
      return status;
    longest_bytes_ = texts_.longest_bytes();
  } else {
    longest_bytes_ = std::max(longest_number_bytes(format), exceptions_.longest_bytes());
  }
  power_ = powers_of_ten[format.decimals - format.scale];
  return check_values(row_count);
}

Status ColumnPrinter::open_exceptions(std::uint32_t row_count) {
  const CellFormat& format = content_->format;
  if (!format.has_exceptions) return {};
  const std::span streams = std::span(content_->streams).last(3);
  if (const Status status = exceptions_.build(streams[1], streams[2]); !status.ok()) return status;
  exception_codes_ = streams[0].as<std::uint8_t>();
  if (exception_codes_.size() != row_count) return wrong("a column has not as many exception codes as rows");
  for (std::uint32_t row = 0; row < row_count; ++row) {
    if (exception_codes_[row] == unlisted_exception) {
      unlisted_rows_.push_back(row);
    } else if (exception_codes_[row] > format.listed_exceptions) {
      return wrong("a code of an exception that does not exist");
    }
  }
  return exceptions_.count() == format.listed_exceptions + unlisted_rows_.size()
             ? Status{}
             : wrong("not as many exceptions as codes say");
}

Status ColumnPrinter::check_values(std::uint32_t row_count) const {
  const CellFormat& format = content_->format;
  if (format.kind == CellKind::text)
    return texts_.count() == row_count ? Status{} : wrong("not as many texts as rows");
  const Words& values = content_->streams[format.kind == CellKind::words ? 2 : 0];
  if (values.count() != row_count) return wrong("not as many numbers as rows");
  if (format.kind == CellKind::words) {
    for (std::uint32_t row = 0; row < row_count; ++row) {
      if (static_cast<std::uint64_t>(values.integer(row)) >= texts_.count())
        return wrong("a code without a word");
    }
  } else if (format.kind == CellKind::free_decimal) {
    const auto decimals = content_->streams[1].as<std::uint8_t>();
    if (decimals.size() != row_count) return wrong("not as many numbers of digits as rows");
    if (std::any_of(decimals.begin(), decimals.end(), [](std::uint8_t k) { return k > max_decimals; }))
      return wrong("more digits than 18");
  } else if (format.kind == CellKind::time) {
    for (std::uint32_t row = 0; row < row_count; ++row) {
      if (!is_printable_time(values.integer(row), format.times))
        return wrong("a time outside of the years 0 to 9999");
    }
  }
  return {};
}

std::string_view ColumnPrinter::exception(std::uint32_t row) const noexcept {
  const std::uint8_t code = exception_codes_[row];
  if (code != unlisted_exception) return exceptions_.text(code - 1u);
  const auto position =
      std::lower_bound(unlisted_rows_.begin(), unlisted_rows_.end(), row) - unlisted_rows_.begin();
  return exceptions_.text(content_->format.listed_exceptions + static_cast<std::size_t>(position));
}

std::string_view ColumnPrinter::text(std::uint32_t row) const noexcept {
  if (content_->format.kind == CellKind::text) return texts_.text(row);
  return texts_.text(static_cast<std::size_t>(content_->streams[2].integer(row)));
}

char* ColumnPrinter::print(char* to, std::uint32_t row) const noexcept {
  if (is_exception(row)) return put(to, exception(row));
  if (!has_numbers(content_->format.kind)) return put(to, text(row));
  if (!content_->format.is_quoted) return print_value(to, row);
  *to++ = '"';
  to = print_value(to, row);
  *to++ = '"';
  return to;
}

char* ColumnPrinter::print_value(char* to, std::uint32_t row) const noexcept {
  const CellFormat& format = content_->format;
  const Words& values = content_->streams[0];
  switch (format.kind) {
    case CellKind::decimal: {
      // Forged numbers may be too large; they then wrap.
      const auto scaled = static_cast<std::int64_t>(static_cast<std::uint64_t>(values.integer(row)) *
                                                    static_cast<std::uint64_t>(power_));
      char* const end = format.decimals == format.min_decimals
                            ? print_decimal(to, scaled, format.decimals)
                            : print_stripped_decimal(to, scaled, format.decimals, format.min_decimals);
      return format.omits_zero ? omit_zero(to, end) : end;
    }
    case CellKind::free_decimal: {
      const std::uint8_t decimals = content_->streams[1].as<std::uint8_t>()[row];
      char* const end = print_decimal(to, values.integer(row), decimals);
      return format.omits_zero ? omit_zero(to, end) : end;
    }
    case CellKind::f32:
      return print_float(to, values.as<float>()[row], format.floats);
    case CellKind::f64:
      return print_float(to, values.as<double>()[row], format.floats);
    case CellKind::time:
      return print_time(to, values.integer(row), format.times);
    default:
      return to;
  }
}

}  // namespace floe::rows
