#include "input/npy_header.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace floe::cli {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_npy_header_bytes = std::size_t{1} << 20;  // what Options::prefix takes

/// Reads the one Python literal that the header is: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4),
/// }
class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : text_(text) {}

  struct Fields {
    std::optional<std::string_view> descr;  // empty for the list that describes a structured type
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::uint64_t>> shape;
  };

  /// Nothing if the text is no such dictionary.
  std::optional<Fields> read() {
    Fields fields;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = read_string();
      if (!key || !take(':') || !read_value(*key, fields)) return std::nullopt;
      if (!take(',') && !next_is('}')) return std::nullopt;
    }
    if (!fields.descr || !fields.fortran_order || !fields.shape) return std::nullopt;
    return fields;
  }

 private:
  bool read_value(std::string_view key, Fields& fields) {
    if (key == "descr") {
      fields.descr = next_is('[') ? skip_list() : read_string();
      return fields.descr.has_value();
    }
    if (key == "fortran_order") {
      fields.fortran_order = take_word("True")    ? std::optional(true)
                             : take_word("False") ? std::optional(false)
                                                  : std::nullopt;
      return fields.fortran_order.has_value();
    }
    if (key == "shape") {
      fields.shape = read_tuple();
      return fields.shape.has_value();
    }
    return false;
  }

  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool next_is(char c) {
    skip_blanks();
    return !text_.empty() && text_.front() == c;
  }
  bool take(char c) {
    if (!next_is(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string_view> read_string() {
    const char quote = next_is('"') ? '"' : '\'';
    if (!take(quote)) return std::nullopt;
    const std::size_t end = text_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view string = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return string;
  }
  std::optional<std::string_view> skip_list() {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '[') ++depth;
      if (text_[i] == ']' && --depth == 0) {
        text_.remove_prefix(i + 1);
        return std::string_view{};
      }
    }
    return std::nullopt;
  }
  std::optional<std::vector<std::uint64_t>> read_tuple() {
    std::vector<std::uint64_t> numbers;
    if (!take('(')) return std::nullopt;
    while (!take(')')) {
      skip_blanks();
      const std::size_t digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
      const auto number = parse_number(text_.substr(0, digits));
      if (!number) return std::nullopt;
      text_.remove_prefix(digits);
      (void)take('L');  // written by Python 2
      numbers.push_back(*number);
      if (!take(',') && !next_is(')')) return std::nullopt;
    }
    return numbers;
  }

  std::string_view text_;
};

struct ElementType {
  DType dtype;
  bool is_complex = false, is_big_endian = false;
};

/// NumPy's "<f4", "|b1", "<M8[ns]"; nothing for types that floe does not have.
std::optional<ElementType> element_type(std::string_view descr) {
  if (descr.size() < 3) return std::nullopt;
  const char order = descr[0];
  const char kind = descr[1];
  const std::string_view width = descr.substr(2, descr.find('[') - 2);  // dates carry a unit in brackets
  if (order != '<' && order != '>' && order != '|' && order != '=') return std::nullopt;
  const bool is_date = kind == 'M' || kind == 'm';
  if (width.size() + 2 != descr.size() && !is_date) return std::nullopt;
  const auto bytes = parse_number(width);
  if (!bytes || *bytes > 16) return std::nullopt;
  const bool is_big_endian = order == '>' && *bytes > 1;
  if (kind == 'c' && *bytes == 8) return ElementType{DType::f32, true, is_big_endian};
  if (kind == 'c' && *bytes == 16) return ElementType{DType::f64, true, is_big_endian};
  if (kind == 'b' && *bytes == 1) return ElementType{DType::boolean};
  if (is_date && *bytes == 8) return ElementType{DType::i64, false, is_big_endian};
  if (kind != 'f' && kind != 'i' && kind != 'u') return std::nullopt;
  const auto dtype = dtype_from_name(fmt::format("{}{}", kind, *bytes * 8));
  return dtype ? std::optional(ElementType{*dtype, false, is_big_endian}) : std::nullopt;
}

std::uint8_t byte_at(std::span<const std::byte> bytes, std::size_t index) {
  return std::to_integer<std::uint8_t>(bytes[index]);
}

/// Where the elements begin, and where the dictionary does.
std::optional<std::pair<std::size_t, std::size_t>> header_range(std::span<const std::byte> begin) {
  if (begin.size() < 12) return std::nullopt;
  const unsigned version = byte_at(begin, 6);
  if (version < 1 || version > 3) return std::nullopt;
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::size_t{byte_at(begin, 8 + i)} << (8 * i);
  const std::size_t text_begin = 8 + length_bytes;
  if (length > begin.size() - text_begin || text_begin + length > max_npy_header_bytes) return std::nullopt;
  return std::pair(text_begin, text_begin + length);
}

}  // namespace

bool begins_as_npy(std::span<const std::byte> begin) noexcept {
  return begin.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), begin.begin(),
                    [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

NpyHeader parse_npy_header(std::span<const std::byte> begin) {
  NpyHeader header;
  const auto range = header_range(begin);
  if (!range) {
    header.problem = "the .npy header is cut short, too long or of an unknown version";
    return header;
  }
  const auto [text_begin, data_begin] = *range;
  const std::string_view text(reinterpret_cast<const char*>(begin.data()) + text_begin,
                              data_begin - text_begin);
  const auto fields = DictionaryReader(text).read();
  if (!fields) {
    header.problem = "the .npy header cannot be read";
    return header;
  }
  const auto type = element_type(*fields->descr);
  if (!type) {
    header.problem = fields->descr->empty() ? "floe has no type for the .npy elements of a structured array"
                                            : fmt::format("floe has no type for the .npy elements '{}'",
                                                          printable(*fields->descr));
    return header;
  }
  header.dtype = type->dtype;
  header.shape = *fields->shape;
  header.header_bytes = data_begin;
  header.is_big_endian = type->is_big_endian;
  if (*fields->fortran_order) std::reverse(header.shape.begin(), header.shape.end());
  if (type->is_complex) header.shape.push_back(2);
  return header;
}

}  // namespace floe::cli
