#include "research/encoding_times.hpp"

#include <algorithm>
#include <charconv>

#include "encodings/encodings.hpp"
#include "research/calibration.hpp"

namespace floe::research {
namespace {

constexpr std::uint32_t max_picoseconds = 1'000'000;
constexpr const char* bad_time = "a time is a whole number of picoseconds from 0 to 1000000";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The text before the next comma, without the spaces around it. Takes both off `line`.
std::string_view take_field(std::string_view& line) {
  const std::size_t end = std::min(line.find(','), line.size());
  const std::string_view field = trimmed(line.substr(0, end));
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

bool read_time(std::string_view text, std::uint32_t& time) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time);
  return error == std::errc{} && end == text.data() + text.size() && time <= max_picoseconds;
}

std::vector<EncodingTime> times_from(const trees::EncodingTimes& times) {
  std::vector<EncodingTime> all;
  for (const trees::Encoding& encoding : trees::all_encodings()) {
    const trees::EncodingTime& time = times[static_cast<std::size_t>(encoding.id)];
    all.push_back({std::string(encoding.name), time.encode_picoseconds, time.decode_picoseconds});
  }
  return all;
}

}  // namespace

std::vector<EncodingTime> built_in_encoding_times() {
  return [] {
    trees::EncodingTimes times;
    for (const trees::Encoding& encoding : trees::all_encodings())
      times[static_cast<std::size_t>(encoding.id)] = encoding.time;
    return times_from(times);
  }();
}

std::vector<EncodingTime> measure_encoding_times() { return times_from(trees::measure_encoding_times()); }

Result<std::vector<EncodingTime>> parse_encoding_times(std::string_view text) {
  std::vector<EncodingTime> times;
  for (std::uint64_t line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const auto refused = [line_number](const char* detail) {
      return Status{ErrorCode::invalid_argument, line_number, detail};
    };
    if (std::count(line.begin(), line.end(), ',') != 2) return refused("a line is encoding,encode,decode");
    EncodingTime time;
    time.encoding = take_field(line);
    if (!read_time(take_field(line), time.encode_picoseconds) ||
        !read_time(take_field(line), time.decode_picoseconds))
      return refused(bad_time);
    const trees::Encoding* const encoding = trees::find_encoding(time.encoding);
    if (encoding == nullptr) return refused("an encoding that is unknown");
    time.encoding = encoding->name;  // it may have another one, too
    const auto is_same = [&time](const EncodingTime& other) { return other.encoding == time.encoding; };
    if (std::any_of(times.begin(), times.end(), is_same))
      return refused("an encoding that has its times already");
    times.push_back(std::move(time));
  }
  if (times.empty()) return Status{ErrorCode::invalid_argument, 0, "a file without times"};
  return times;
}

std::string encoding_times_text(const std::vector<EncodingTime>& times) {
  std::string text = "# encoding, picoseconds per word to encode, to decode\n";
  for (const EncodingTime& time : times)
    text += time.encoding + "," + std::to_string(time.encode_picoseconds) + "," +
            std::to_string(time.decode_picoseconds) + "\n";
  return text;
}

}  // namespace floe::research
