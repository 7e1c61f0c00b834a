// JSON values. The package behind them takes long to compile, so one translation unit alone includes it.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace floe::cli {

class Json {
 public:
  struct Member;

  Json();  ///< null
  template <std::unsigned_integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value) : Json(std::uint64_t{value}, 0) {}
  template <std::same_as<bool> Bool>
  Json(Bool value) : Json(value, 0, 0) {}
  Json(double value);
  Json(std::string_view value);
  Json(const char* value) : Json(std::string_view(value)) {}
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json();

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
  void push(Json value);

  /// In lines, each of which but the first begins with `indent` spaces. Bytes that are no UTF-8 are replaced.
  [[nodiscard]] std::string text(std::size_t indent = 0) const;

 private:
  struct Value;
  Json(std::uint64_t value, int);
  Json(bool value, int, int);

  std::unique_ptr<Value> value_;
};

struct Json::Member {
  std::string_view name;
  Json value;
};

/// Prints a value in a readable form.
void print_json(const Json& json);

}  // namespace floe::cli
