#include "rows/cells/cell_text.hpp"

#include <array>
#include <chrono>
#include <cstring>

namespace floe::rows {
namespace {

constexpr std::int64_t seconds_per_day = 86400;
constexpr unsigned first_offset = 2, last_offset = 127,
                   zero_offset = 64;  // quarters of an hour; 64 stands for +00:00
constexpr std::array<std::string_view, 7> weekdays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::int64_t, 10> powers = {1,      10,      100,      1000,      10000,
                                                 100000, 1000000, 10000000, 100000000, 1000000000};

using Date = std::chrono::year_month_day;

/// A date that may not exist.
Date make_date(unsigned year, unsigned month, unsigned day) {
  return {std::chrono::year(static_cast<int>(year)), std::chrono::month(month), std::chrono::day(day)};
}
constexpr std::int64_t days_of(const Date& date) {
  return std::chrono::sys_days(date).time_since_epoch().count();
}

constexpr std::int64_t first_day = days_of(std::chrono::year(0) / 1 / 1),
                       last_day = days_of(std::chrono::year(9999) / 12 / 31);

/// Reads fields one after the other; any mismatch sets `failed`.
class Fields {
 public:
  explicit Fields(std::string_view text) : text_(text) {}
  unsigned digits(unsigned count) {
    if (text_.size() - at_ < count) return fail();
    unsigned value = 0;
    for (unsigned i = 0; i < count; ++i) {
      const auto digit = static_cast<unsigned>(static_cast<unsigned char>(text_[at_ + i] - '0'));
      if (digit > 9) return fail();
      value = value * 10 + digit;
    }
    at_ += count;
    return value;
  }
  void literal(char expected) {
    if (at_ == text_.size() || text_[at_] != expected) {
      fail();
    } else {
      ++at_;
    }
  }
  template <std::size_t count>
  unsigned name(const std::array<std::string_view, count>& names) {
    for (unsigned i = 0; i < count; ++i) {
      if (text_.substr(at_, 3) == names[i]) {
        at_ += 3;
        return i;
      }
    }
    return fail();
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] bool is_at_end() const { return !failed_ && at_ == text_.size(); }
  [[nodiscard]] bool failed() const { return failed_; }
  unsigned fail() {
    failed_ = true;
    at_ = text_.size();
    return 0;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

Date read_date(Fields& fields, char separator) {
  const unsigned year = fields.digits(4);
  fields.literal(separator);
  const unsigned month = fields.digits(2);
  fields.literal(separator);
  const Date date = make_date(year, month, fields.digits(2));
  if (!date.ok()) fields.fail();
  return fields.failed() ? Date(std::chrono::sys_days()) : date;
}

std::int64_t read_clock(Fields& fields, bool with_seconds) {
  const unsigned hour = fields.digits(2);
  fields.literal(':');
  const unsigned minute = fields.digits(2);
  if (with_seconds) fields.literal(':');
  const unsigned second = with_seconds ? fields.digits(2) : 0;
  if (hour > 23 || minute > 59 || second > 59) fields.fail();
  return std::int64_t{hour} * 3600 + minute * 60 + second;
}

/// From Sunday on.
unsigned weekday_of(std::int64_t days) { return static_cast<unsigned>(((days + 4) % 7 + 7) % 7); }

/// Wed Apr  3 09:30:00 2013, in seconds.
std::int64_t read_ctime(Fields& fields) {
  const unsigned weekday = fields.name(weekdays);
  fields.literal(' ');
  const unsigned month = fields.name(months) + 1;
  fields.literal(' ');
  const bool has_blank = fields.peek() == ' ';
  if (has_blank) fields.literal(' ');
  const unsigned day = fields.digits(has_blank ? 1 : 2);
  if (!has_blank && day < 10) fields.fail();
  fields.literal(' ');
  const std::int64_t clock = read_clock(fields, true);
  fields.literal(' ');
  const Date date = make_date(fields.digits(4), month, day);
  if (!date.ok()) fields.fail();
  if (fields.failed()) return 0;
  if (weekday_of(days_of(date)) != weekday) fields.fail();
  return days_of(date) * seconds_per_day + clock;
}

char* put_digits(char* to, std::uint64_t value, unsigned count) {
  for (unsigned i = count; i-- > 0; value /= 10) to[i] = static_cast<char>('0' + value % 10);
  return to + count;
}

char* put_name(char* to, std::string_view name) {
  std::memcpy(to, name.data(), name.size());
  return to + name.size();
}

char* put_clock(char* to, std::int64_t second_of_day, bool with_seconds) {
  to = put_digits(to, static_cast<std::uint64_t>(second_of_day / 3600), 2);
  *to++ = ':';
  to = put_digits(to, static_cast<std::uint64_t>(second_of_day / 60 % 60), 2);
  if (!with_seconds) return to;
  *to++ = ':';
  return put_digits(to, static_cast<std::uint64_t>(second_of_day % 60), 2);
}

struct Zone {
  char text[6] = {};
  std::size_t bytes = 0;
  [[nodiscard]] std::string_view view() const { return {text, bytes}; }
};

Zone zone_of(const TimeFormat& format) {
  Zone zone;
  if (format.zone == 1) zone.text[zone.bytes++] = 'Z';
  if (format.zone < first_offset) return zone;
  const int quarters = static_cast<int>(format.zone) - static_cast<int>(zero_offset);
  const auto magnitude = static_cast<unsigned>(quarters < 0 ? -quarters : quarters);
  zone.text[0] = quarters < 0 ? '-' : '+';
  char* at = put_digits(zone.text + 1, magnitude / 4, 2);
  if (format.zone_colon) *at++ = ':';
  at = put_digits(at, magnitude % 4 * 15, 2);
  zone.bytes = static_cast<std::size_t>(at - zone.text);
  return zone;
}

bool recognize_zone(std::string_view text, TimeFormat& format) {
  for (unsigned zone = 0; zone <= last_offset; ++zone) {
    for (const bool colon : {true, false}) {
      format.zone = static_cast<std::uint8_t>(zone);
      format.zone_colon = colon;
      if (zone_of(format).view() == text) return true;
    }
  }
  return false;
}

bool is_one_of(char c, std::string_view list) { return c != '\0' && list.find(c) != std::string_view::npos; }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

/// Days and the rest of a value, in its units.
struct DayAndRest {
  std::int64_t day, rest;
};

DayAndRest split_days(std::int64_t value, const TimeFormat& format) {
  const std::int64_t units_per_day = format.layout == TimeLayout::date ? 1
                                     : format.layout == TimeLayout::minutes
                                         ? 1440
                                         : seconds_per_day * powers[format.fraction_digits];
  const std::int64_t day = floor_divide(value, units_per_day);
  return {day, value - day * units_per_day};
}

}  // namespace

std::optional<TimeFormat> recognize_time(std::string_view text) noexcept {
  TimeFormat format;
  std::int64_t value = 0;
  if (parse_time(text, {TimeLayout::ctime}, value)) return TimeFormat{TimeLayout::ctime};
  if (text.size() < 10 || !is_one_of(text[4], "-/")) return std::nullopt;
  format.date_separator = text[4];
  if (text.size() == 10) {
    format.layout = TimeLayout::date;
  } else if (is_one_of(text[10], "Tt _") && text.size() >= 16) {
    format.time_separator = text[10];
    format.layout = text.size() >= 19 && text[16] == ':' ? TimeLayout::seconds : TimeLayout::minutes;
    std::size_t at = format.layout == TimeLayout::seconds ? 19 : 16;
    if (format.layout == TimeLayout::seconds && at < text.size() && text[at] == '.') {
      std::size_t digits = 0;
      while (at + 1 + digits < text.size() && text[at + 1 + digits] >= '0' && text[at + 1 + digits] <= '9')
        ++digits;
      if (digits == 0 || digits > 9) return std::nullopt;
      format.fraction_digits = static_cast<std::uint8_t>(digits);
      at += 1 + digits;
    }
    if (!recognize_zone(text.substr(at), format)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return parse_time(text, format, value) ? std::optional(format) : std::nullopt;
}

bool parse_time(std::string_view text, const TimeFormat& format, std::int64_t& value) noexcept {
  Fields fields(text);
  if (format.layout == TimeLayout::ctime) {
    value = read_ctime(fields);
    return fields.is_at_end();
  }
  const std::int64_t days = days_of(read_date(fields, format.date_separator));
  if (format.layout == TimeLayout::date) {
    value = days;
    return fields.is_at_end();
  }
  fields.literal(format.time_separator);
  const std::int64_t clock = read_clock(fields, format.layout == TimeLayout::seconds);
  if (format.layout == TimeLayout::minutes) {
    value = days * 1440 + clock / 60;
  } else {
    std::int64_t fraction = 0;
    if (format.fraction_digits != 0) {
      fields.literal('.');
      fraction = fields.digits(format.fraction_digits);
    }
    // At most 9999 years of nanoseconds, which wrap; such values are not taken.
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(days * seconds_per_day + clock, powers[format.fraction_digits], &scaled) ||
        __builtin_add_overflow(scaled, fraction, &value)) {
      return false;
    }
  }
  return !fields.failed() && fields.rest() == zone_of(format).view();
}

std::int64_t whole_seconds(std::int64_t value, const TimeFormat& format) noexcept {
  const auto [day, rest] = split_days(value, format);
  const std::int64_t clock =
      format.layout == TimeLayout::minutes ? rest * 60 : rest / powers[format.fraction_digits];
  return day * seconds_per_day + clock;
}

bool is_printable_time(std::int64_t value, const TimeFormat& format) noexcept {
  const std::int64_t day = split_days(value, format).day;
  return day >= first_day && day <= last_day;
}

char* print_time(char* to, std::int64_t value, const TimeFormat& format) noexcept {
  const auto [day, rest] = split_days(value, format);
  const Date date{std::chrono::sys_days(std::chrono::days(day))};
  const auto year = static_cast<std::uint64_t>(static_cast<int>(date.year()));
  const auto month = static_cast<unsigned>(date.month()), day_of_month = static_cast<unsigned>(date.day());
  const std::int64_t clock = whole_seconds(value, format) - day * seconds_per_day;
  if (format.layout == TimeLayout::ctime) {
    to = put_name(to, weekdays[weekday_of(day)]);
    *to++ = ' ';
    to = put_name(to, months[month - 1]);
    *to++ = ' ';
    if (day_of_month < 10) *to++ = ' ';
    to = put_digits(to, day_of_month, day_of_month < 10 ? 1 : 2);
    *to++ = ' ';
    to = put_clock(to, clock, true);
    *to++ = ' ';
    return put_digits(to, year, 4);
  }
  to = put_digits(to, year, 4);
  *to++ = format.date_separator;
  to = put_digits(to, month, 2);
  *to++ = format.date_separator;
  to = put_digits(to, day_of_month, 2);
  if (format.layout == TimeLayout::date) return to;
  *to++ = format.time_separator;
  to = put_clock(to, clock, format.layout == TimeLayout::seconds);
  if (format.fraction_digits != 0) {
    *to++ = '.';
    to = put_digits(to, static_cast<std::uint64_t>(rest % powers[format.fraction_digits]),
                    format.fraction_digits);
  }
  return put_name(to, zone_of(format).view());
}

}  // namespace floe::rows
