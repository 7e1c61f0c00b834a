#include "rows/cells/time_text.hpp"

#include <array>
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

struct Date {
  unsigned year = 1970, month = 1, day = 1;
};

constexpr bool is_leap(unsigned year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

constexpr unsigned days_of_month(unsigned year, unsigned month) {
  constexpr std::array<unsigned, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && is_leap(year));
}

// Howard Hinnant, "chrono-compatible low-level date algorithms": years begin in March, so that the leap day
// is the last.
constexpr std::int64_t days_of(const Date& date) {
  const std::int64_t year = static_cast<std::int64_t>(date.year) - (date.month <= 2);
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year =
      (153 * (static_cast<std::int64_t>(date.month) + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

constexpr Date date_of(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<unsigned>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  const auto month = static_cast<unsigned>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return {static_cast<unsigned>(year_of_era + era * 400 + (month <= 2)), month, day};
}

constexpr std::int64_t first_day = days_of({0, 1, 1}), last_day = days_of({9999, 12, 31});

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
  Date date;
  date.year = fields.digits(4);
  fields.literal(separator);
  date.month = fields.digits(2);
  fields.literal(separator);
  date.day = fields.digits(2);
  if (fields.failed() || date.month < 1 || date.month > 12 || date.day < 1 ||
      date.day > days_of_month(date.year, date.month))
    fields.fail();
  return fields.failed() ? Date{} : date;
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

/// Wed Apr  3 09:30:00 2013, in seconds.
std::int64_t read_ctime(Fields& fields) {
  Date date;
  const unsigned weekday = fields.name(weekdays);
  fields.literal(' ');
  date.month = fields.name(months) + 1;
  fields.literal(' ');
  if (fields.peek() == ' ') {
    fields.literal(' ');
    date.day = fields.digits(1);
  } else {
    date.day = fields.digits(2);
    if (date.day < 10) fields.fail();
  }
  fields.literal(' ');
  const std::int64_t clock = read_clock(fields, true);
  fields.literal(' ');
  date.year = fields.digits(4);
  if (fields.failed() || date.day < 1 || date.day > days_of_month(date.year, date.month)) {
    fields.fail();
    return 0;
  }
  const std::int64_t days = days_of(date);
  if (((days + 4) % 7 + 7) % 7 != weekday) fields.fail();
  return days * seconds_per_day + clock;
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

Zone zone_of(const TimeFormat& writing) {
  Zone zone;
  if (writing.zone == 1) zone.text[zone.bytes++] = 'Z';
  if (writing.zone < first_offset) return zone;
  const int quarters = static_cast<int>(writing.zone) - static_cast<int>(zero_offset);
  const auto magnitude = static_cast<unsigned>(quarters < 0 ? -quarters : quarters);
  zone.text[0] = quarters < 0 ? '-' : '+';
  char* at = put_digits(zone.text + 1, magnitude / 4, 2);
  if (writing.zone_colon) *at++ = ':';
  at = put_digits(at, magnitude % 4 * 15, 2);
  zone.bytes = static_cast<std::size_t>(at - zone.text);
  return zone;
}

bool recognize_zone(std::string_view text, TimeFormat& writing) {
  for (unsigned zone = 0; zone <= last_offset; ++zone) {
    for (const bool colon : {true, false}) {
      writing.zone = static_cast<std::uint8_t>(zone);
      writing.zone_colon = colon;
      if (zone_of(writing).view() == text) return true;
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

DayAndRest split_days(std::int64_t value, const TimeFormat& writing) {
  const std::int64_t units_per_day = writing.layout == TimeLayout::date ? 1
                                     : writing.layout == TimeLayout::minutes
                                         ? 1440
                                         : seconds_per_day * powers[writing.fraction_digits];
  const std::int64_t day = floor_divide(value, units_per_day);
  return {day, value - day * units_per_day};
}

}  // namespace

std::optional<TimeFormat> recognize_time(std::string_view text) noexcept {
  TimeFormat writing;
  std::int64_t value = 0;
  if (parse_time(text, {TimeLayout::ctime}, value)) return TimeFormat{TimeLayout::ctime};
  if (text.size() < 10 || !is_one_of(text[4], "-/")) return std::nullopt;
  writing.date_separator = text[4];
  if (text.size() == 10) {
    writing.layout = TimeLayout::date;
  } else if (is_one_of(text[10], "Tt _") && text.size() >= 16) {
    writing.time_separator = text[10];
    writing.layout = text.size() >= 19 && text[16] == ':' ? TimeLayout::seconds : TimeLayout::minutes;
    std::size_t at = writing.layout == TimeLayout::seconds ? 19 : 16;
    if (writing.layout == TimeLayout::seconds && at < text.size() && text[at] == '.') {
      std::size_t digits = 0;
      while (at + 1 + digits < text.size() && text[at + 1 + digits] >= '0' && text[at + 1 + digits] <= '9')
        ++digits;
      if (digits == 0 || digits > 9) return std::nullopt;
      writing.fraction_digits = static_cast<std::uint8_t>(digits);
      at += 1 + digits;
    }
    if (!recognize_zone(text.substr(at), writing)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return parse_time(text, writing, value) ? std::optional(writing) : std::nullopt;
}

bool parse_time(std::string_view text, const TimeFormat& writing, std::int64_t& value) noexcept {
  Fields fields(text);
  if (writing.layout == TimeLayout::ctime) {
    value = read_ctime(fields);
    return fields.is_at_end();
  }
  const std::int64_t days = days_of(read_date(fields, writing.date_separator));
  if (writing.layout == TimeLayout::date) {
    value = days;
    return fields.is_at_end();
  }
  fields.literal(writing.time_separator);
  const std::int64_t clock = read_clock(fields, writing.layout == TimeLayout::seconds);
  if (writing.layout == TimeLayout::minutes) {
    value = days * 1440 + clock / 60;
  } else {
    std::int64_t fraction = 0;
    if (writing.fraction_digits != 0) {
      fields.literal('.');
      fraction = fields.digits(writing.fraction_digits);
    }
    // At most 9999 years of nanoseconds, which wrap; such values are not taken.
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(days * seconds_per_day + clock, powers[writing.fraction_digits], &scaled) ||
        __builtin_add_overflow(scaled, fraction, &value)) {
      return false;
    }
  }
  return !fields.failed() && fields.rest() == zone_of(writing).view();
}

std::int64_t whole_seconds(std::int64_t value, const TimeFormat& writing) noexcept {
  const auto [day, rest] = split_days(value, writing);
  const std::int64_t clock =
      writing.layout == TimeLayout::minutes ? rest * 60 : rest / powers[writing.fraction_digits];
  return day * seconds_per_day + clock;
}

bool is_printable_time(std::int64_t value, const TimeFormat& writing) noexcept {
  const std::int64_t day = split_days(value, writing).day;
  return day >= first_day && day <= last_day;
}

char* print_time(char* to, std::int64_t value, const TimeFormat& writing) noexcept {
  const auto [day, rest] = split_days(value, writing);
  const Date date = date_of(day);
  const std::int64_t clock = whole_seconds(value, writing) - day * seconds_per_day;
  if (writing.layout == TimeLayout::ctime) {
    to = put_name(to, weekdays[static_cast<std::size_t>(((day + 4) % 7 + 7) % 7)]);
    *to++ = ' ';
    to = put_name(to, months[date.month - 1]);
    *to++ = ' ';
    if (date.day < 10) *to++ = ' ';
    to = put_digits(to, date.day, date.day < 10 ? 1 : 2);
    *to++ = ' ';
    to = put_clock(to, clock, true);
    *to++ = ' ';
    return put_digits(to, date.year, 4);
  }
  to = put_digits(to, date.year, 4);
  *to++ = writing.date_separator;
  to = put_digits(to, date.month, 2);
  *to++ = writing.date_separator;
  to = put_digits(to, date.day, 2);
  if (writing.layout == TimeLayout::date) return to;
  *to++ = writing.time_separator;
  to = put_clock(to, clock, writing.layout == TimeLayout::seconds);
  if (writing.fraction_digits != 0) {
    *to++ = '.';
    to = put_digits(to, static_cast<std::uint64_t>(rest % powers[writing.fraction_digits]),
                    writing.fraction_digits);
  }
  return put_name(to, zone_of(writing).view());
}

}  // namespace floe::rows
