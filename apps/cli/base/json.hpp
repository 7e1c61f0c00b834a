// JSON values, and their text.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace floe::cli {

class Json {
 public:
  struct Member;

  Json() = default;  ///< null
  template <std::unsigned_integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value) : scalar_(std::to_string(value)) {}
  template <std::same_as<bool> Bool>
  Json(Bool value) : scalar_(value ? "true" : "false") {}
  /// In as many digits as it takes; what is no finite number becomes null.
  Json(double value);
  Json(std::string_view value);
  Json(const char* value) : Json(std::string_view(value)) {}
  Json(const std::string& value) : Json(std::string_view(value)) {}

  static Json object(std::initializer_list<Member> members = {});
  static Json array();
  template <class Range>
  static Json array_of(const Range& values) {
    Json all = array();
    for (const auto& value : values) all.push(value);
    return all;
  }

  /// Of an object: appends a member, or replaces it.
  void set(std::string_view name, Json value);
  /// Of an array.
  void push(Json value) { values_.push_back(std::move(value)); }

  /// In lines, each of which but the first begins with `indent` spaces. Bytes that are no UTF-8 are replaced.
  [[nodiscard]] std::string text(std::size_t indent = 0) const;

 private:
  enum class Kind : std::uint8_t { scalar, array, object };

  void append_to(std::string& text, std::size_t indent) const;

  Kind kind_ = Kind::scalar;
  std::string scalar_ = "null";     ///< As it is written.
  std::vector<std::string> names_;  ///< Of the members of an object, as they are written.
  std::vector<Json> values_;
};

struct Json::Member {
  std::string_view name;
  Json value;
};

/// Prints a value in a readable form.
void print_json(const Json& json);

}  // namespace floe::cli
