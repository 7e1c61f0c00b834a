#include "container/cell_format.hpp"

#include <array>

namespace floe::container {
namespace {

constexpr unsigned first_zone_offset = 2,
                   last_zone_offset = 127;  // quarters of an hour; 64 stands for +00:00

bool is_decimal(CellKind kind) { return kind == CellKind::decimal || kind == CellKind::free_decimal; }

bool is_one_of(char c, std::string_view list) { return c != '\0' && list.find(c) != std::string_view::npos; }

/// Fields that do not belong to the kind are zero, so that each format has one form.
CellFormat only_what_counts(const CellFormat& from) {
  CellFormat w;
  w.kind = from.kind;
  if (has_numbers(w.kind)) {
    w.is_quoted = from.is_quoted && w.kind != CellKind::native;
    w.has_exceptions = from.has_exceptions && w.kind != CellKind::native;
    w.listed_exceptions = w.has_exceptions ? from.listed_exceptions : 0;
  }
  w.omits_zero = from.omits_zero && is_decimal(w.kind);
  if (w.kind == CellKind::decimal) {
    w.decimals = from.decimals;
    w.min_decimals = from.min_decimals;
    w.scale = from.scale;
  }
  if (w.kind == CellKind::f32 || w.kind == CellKind::f64) w.floats = from.floats;
  if (w.kind == CellKind::time) w.times = from.times;
  return w;
}

}  // namespace

bool is_valid(const FloatFormat& format) noexcept {
  const bool has_digits = format.style == FloatStyle::general || format.style == FloatStyle::scientific ||
                          format.style == FloatStyle::fixed;
  return format.style <= FloatStyle::fixed && format.digits <= (has_digits ? max_float_digits : 0);
}

bool is_valid(const TimeFormat& w) noexcept {
  if (w.layout == TimeLayout::ctime) return w == TimeFormat{TimeLayout::ctime};
  if (w.layout > TimeLayout::ctime || !is_one_of(w.date_separator, "-/") || w.fraction_digits > 9 ||
      w.zone > last_zone_offset)
    return false;
  if (w.zone < first_zone_offset && !w.zone_colon) return false;
  if (w.layout == TimeLayout::date) return w.zone == 0 && w.fraction_digits == 0 && w.time_separator == 'T';
  return is_one_of(w.time_separator, "Tt _") && (w.layout == TimeLayout::seconds || w.fraction_digits == 0);
}

void put_cell_format(core::ByteWriter& out, const CellFormat& w) {
  const bool is_time = w.kind == CellKind::time;
  const auto of_time = [is_time](auto part) {
    return static_cast<std::uint8_t>(is_time ? part : decltype(part){});
  };
  const std::array<std::uint8_t, cell_format_bytes> bytes = {
      static_cast<std::uint8_t>(w.kind),
      static_cast<std::uint8_t>(w.is_quoted | w.has_exceptions << 1 |
                                (w.omits_zero || (is_time && w.times.zone_colon)) << 2),
      w.listed_exceptions,
      w.decimals,
      w.min_decimals,
      w.scale,
      static_cast<std::uint8_t>(w.floats.style),
      w.floats.digits,
      of_time(w.times.layout),
      of_time(w.times.date_separator),
      of_time(w.times.time_separator),
      of_time(w.times.fraction_digits),
      of_time(w.times.zone)};
  out.put_bytes(bytes);
}

Status get_cell_format(core::ByteReader& in, CellFormat& format) {
  const std::size_t begin = in.position();
  const auto corrupt = [begin](const char* detail) {
    return Status{ErrorCode::corrupt_frame, begin, detail};
  };
  CellFormat w;
  const auto kind = in.get_byte();
  const auto flags = in.get_byte();
  if (kind > last_cell_kind)
    return {ErrorCode::unsupported_version, begin, "a cell format that this version does not know"};
  if (flags > 7) return corrupt("flags of a cell format that are unknown");
  w.kind = static_cast<CellKind>(kind);
  w.is_quoted = (flags & 1) != 0;
  w.has_exceptions = (flags & 2) != 0;
  w.omits_zero = (flags & 4) != 0 && is_decimal(w.kind);
  w.listed_exceptions = in.get_byte();
  w.decimals = in.get_byte();
  w.min_decimals = in.get_byte();
  w.scale = in.get_byte();
  w.floats.style = static_cast<FloatStyle>(in.get_byte());
  w.floats.digits = in.get_byte();
  TimeFormat times;
  times.layout = static_cast<TimeLayout>(in.get_byte());
  times.date_separator = static_cast<char>(in.get_byte());
  times.time_separator = static_cast<char>(in.get_byte());
  times.fraction_digits = in.get_byte();
  times.zone = in.get_byte();
  times.zone_colon = (flags & 4) != 0 && !w.omits_zero;
  if (w.kind == CellKind::time) {
    if (!is_valid(times)) return corrupt("a format of times that makes no sense");
    w.times = times;
  } else if (times != TimeFormat{TimeLayout::date, '\0', '\0', 0, 0, false}) {
    return corrupt("a format of times for what is no time");
  }
  if (in.failed()) return corrupt("a cell format is cut short");
  if (only_what_counts(w) != w) return corrupt("a cell format has fields of another one");
  if (w.decimals > max_decimals || w.min_decimals > w.decimals || w.scale > w.decimals)
    return corrupt("digits that make no sense");
  if (!is_valid(w.floats)) return corrupt("a format of floating-point numbers that makes no sense");
  if (w.listed_exceptions > max_listed_exceptions)
    return corrupt("more exceptions with numbers than there are");
  format = w;
  return {};
}

}  // namespace floe::container
