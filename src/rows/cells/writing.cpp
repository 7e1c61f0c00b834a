#include "rows/cells/writing.hpp"

namespace floe::tables {
namespace {

constexpr Status wrong(const char* detail) { return {ErrorCode::corrupt_frame, 0, detail}; }

/// Fields that do not belong to the kind are zero, so that each writing has one form.
Writing only_what_counts(const Writing& from) {
  Writing w;
  w.kind = from.kind;
  if (has_numbers(w.kind)) {
    w.is_quoted = from.is_quoted && w.kind != WritingKind::native;
    w.has_marks = from.has_marks && w.kind != WritingKind::native;
    w.marked_literals = w.has_marks ? from.marked_literals : 0;
  }
  if (w.kind == WritingKind::decimal) {
    w.decimals = from.decimals;
    w.least_decimals = from.least_decimals;
    w.scale = from.scale;
  }
  if (w.kind == WritingKind::f32 || w.kind == WritingKind::f64) w.floats = from.floats;
  if (w.kind == WritingKind::time) w.times = from.times;
  return w;
}

}  // namespace

void put_writing(format::FieldWriter& out, const Writing& w) {
  const bool is_time = w.kind == WritingKind::time;
  const std::size_t begin = out.position();
  out.put(static_cast<std::uint8_t>(w.kind));
  out.put(static_cast<std::uint8_t>(w.is_quoted | w.has_marks << 1 | (is_time && w.times.zone_colon) << 2));
  out.put(w.marked_literals);
  out.put(w.decimals);
  out.put(w.least_decimals);
  out.put(w.scale);
  out.put(static_cast<std::uint8_t>(w.floats.style));
  out.put(w.floats.digits);
  out.put(is_time ? static_cast<std::uint8_t>(w.times.layout) : std::uint8_t{0});
  out.put(is_time ? static_cast<std::uint8_t>(w.times.date_separator) : std::uint8_t{0});
  out.put(is_time ? static_cast<std::uint8_t>(w.times.time_separator) : std::uint8_t{0});
  out.put(is_time ? w.times.fraction_digits : std::uint8_t{0});
  out.put(is_time ? w.times.zone : std::uint8_t{0});
  out.zero_until(begin + writing_bytes);
}

Result<Writing> get_writing(format::FieldReader& in) {
  const std::size_t begin = in.position();
  Writing w;
  const auto kind = in.get<std::uint8_t>();
  const auto flags = in.get<std::uint8_t>();
  if (kind > last_writing_kind) return wrong("a way of writing that is unknown");
  if (flags > 7) return wrong("flags of a way of writing that are unknown");
  w.kind = static_cast<WritingKind>(kind);
  w.is_quoted = (flags & 1) != 0;
  w.has_marks = (flags & 2) != 0;
  w.marked_literals = in.get<std::uint8_t>();
  w.decimals = in.get<std::uint8_t>();
  w.least_decimals = in.get<std::uint8_t>();
  w.scale = in.get<std::uint8_t>();
  w.floats.style = static_cast<FloatStyle>(in.get<std::uint8_t>());
  w.floats.digits = in.get<std::uint8_t>();
  TimeWriting times;
  times.layout = static_cast<TimeLayout>(in.get<std::uint8_t>());
  times.date_separator = static_cast<char>(in.get<std::uint8_t>());
  times.time_separator = static_cast<char>(in.get<std::uint8_t>());
  times.fraction_digits = in.get<std::uint8_t>();
  times.zone = in.get<std::uint8_t>();
  times.zone_colon = (flags & 4) != 0;
  if (w.kind == WritingKind::time) {
    if (!is_valid(times)) return wrong("a way of writing times that makes no sense");
    w.times = times;
  } else if (times != TimeWriting{TimeLayout::date, '\0', '\0', 0, 0, false}) {
    return wrong("a way of writing times for what is no time");
  }
  if (!in.zeros_until(begin + writing_bytes) || in.failed()) return wrong("a way of writing has bytes that are not zero");
  if (only_what_counts(w) != w) return wrong("a way of writing has fields of another one");
  if (w.decimals > most_decimals || w.least_decimals > w.decimals || w.scale > w.decimals) return wrong("digits that make no sense");
  if (!is_valid(w.floats)) return wrong("a way of writing floating-point numbers that makes no sense");
  if (w.marked_literals > last_literal_mark) return wrong("more marks of literals than there are");
  return w;
}

}  // namespace floe::tables
