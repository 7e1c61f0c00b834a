#include "tensors/header_text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace floe::cli {
namespace {

void append_quoted(std::string& text, std::string_view value) {
  constexpr std::string_view special = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  text += '"';
  for (const char c : value) {
    if (const std::size_t position = special.find(c); position != std::string_view::npos) {
      text += {'\\', letters[position]};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  text += '"';
}

}  // namespace

std::string tensor_header_text(std::span<const std::pair<std::string_view, std::string_view>> metadata,
                               std::span<const FramePosition> frames, std::uint64_t bytes_at_least) {
  std::string text(header_length_bytes, '\0');
  text += "{\"__metadata__\":{";
  for (const auto& [name, value] : metadata) {
    if (text.back() != '{') text += ',';
    append_quoted(text, name);
    text += ':';
    append_quoted(text, value);
  }
  text += '}';
  for (const FramePosition& frame : frames) {
    text += ',';
    append_quoted(text, frame.name);
    text += fmt::format(":{{\"dtype\":\"U8\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", frame.bytes,
                        frame.begin, frame.end);
  }
  text += '}';
  text.resize(std::max<std::uint64_t>(bytes_at_least, (text.size() + 7) / 8 * 8), ' ');
  std::uint64_t length = text.size() - header_length_bytes;
  for (std::size_t i = 0; i < header_length_bytes; ++i, length >>= 8)
    text[i] = static_cast<char>(length & 0xff);
  return text;
}

}  // namespace floe::cli
