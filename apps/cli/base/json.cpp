#include "base/json.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace floe::cli {

struct Json::Value {
  nlohmann::ordered_json json;
};

Json::Json() : value_(std::make_unique<Value>()) {}
Json::Json(std::uint64_t value, int) : value_(std::make_unique<Value>(Value{value})) {}
Json::Json(bool value, int, int) : value_(std::make_unique<Value>(Value{value})) {}
Json::Json(double value) : value_(std::make_unique<Value>(Value{value})) {}
Json::Json(std::string_view value) : value_(std::make_unique<Value>(Value{value})) {}
Json::Json(const Json& other) : value_(std::make_unique<Value>(*other.value_)) {}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json other) noexcept {
  value_ = std::move(other.value_);
  return *this;
}
Json::~Json() = default;

Json Json::object(std::initializer_list<Member> members) {
  Json all;
  all.value_->json = nlohmann::ordered_json::object();
  for (const Member& member : members) all.set(member.name, member.value);
  return all;
}

Json Json::array() {
  Json all;
  all.value_->json = nlohmann::ordered_json::array();
  return all;
}

void Json::set(std::string_view name, Json value) {
  value_->json[std::string(name)] = std::move(value.value_->json);
}

void Json::push(Json value) { value_->json.push_back(std::move(value.value_->json)); }

std::string Json::text(std::size_t indent) const {
  std::string text;
  for (const char c : value_->json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    text += c;
    if (c == '\n') text.append(indent, ' ');
  }
  return text;
}

void print_json(const Json& json) { fmt::print("{}\n", json.text()); }

}  // namespace floe::cli
