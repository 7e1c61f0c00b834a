#include "base/json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace floe::cli {
namespace {

std::string quoted(std::string_view text) {
  std::string line = "\"";
  while (!text.empty()) {
    const std::size_t bytes = utf8_character_bytes(text);
    const char c = text.front();
    if (bytes == 0) {
      line += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      line += {'\\', c};
    } else if (c == '\n') {
      line += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      line += fmt::format("\\u{:04x}", c);
    } else {
      line += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return line + '"';
}

}  // namespace

Json::Json(double value) {
  if (!std::isfinite(value)) return;
  char digits[32];
  scalar_.assign(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

Json::Json(std::string_view value) : scalar_(quoted(value)) {}

Json Json::object(std::initializer_list<Member> members) {
  Json all;
  all.kind_ = Kind::object;
  for (const Member& member : members) all.set(member.name, member.value);
  return all;
}

Json Json::array() {
  Json all;
  all.kind_ = Kind::array;
  return all;
}

void Json::set(std::string_view name, Json value) {
  std::string written = quoted(name);
  const auto found = std::find(names_.begin(), names_.end(), written);
  if (found != names_.end()) {
    values_[static_cast<std::size_t>(found - names_.begin())] = std::move(value);
  } else {
    names_.push_back(std::move(written));
    values_.push_back(std::move(value));
  }
}

void Json::append_to(std::string& text, std::size_t indent) const {
  if (kind_ == Kind::scalar) {
    text += scalar_;
    return;
  }
  text += kind_ == Kind::object ? '{' : '[';
  for (std::size_t i = 0; i < values_.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text.append(indent + 2, ' ');
    if (kind_ == Kind::object) text += names_[i] + ": ";
    values_[i].append_to(text, indent + 2);
  }
  if (!values_.empty()) text.append(1, '\n').append(indent, ' ');
  text += kind_ == Kind::object ? '}' : ']';
}

std::string Json::text(std::size_t indent) const {
  std::string text;
  append_to(text, indent);
  return text;
}

void print_json(const Json& json) { fmt::print("{}\n", json.text()); }

}  // namespace floe::cli
