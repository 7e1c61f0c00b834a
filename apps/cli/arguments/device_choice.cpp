#include "arguments/device_choice.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"

namespace floe::cli {
namespace {

constexpr std::uint64_t max_devices = 1024;

/// Appends the devices of "3" or "0-7".
bool add_range(std::vector<std::uint32_t>& indices, std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last >= max_devices) return false;
  for (std::uint64_t index = *first; index <= *last; ++index) {
    if (std::find(indices.begin(), indices.end(), index) != indices.end()) return false;
    indices.push_back(static_cast<std::uint32_t>(index));
  }
  return true;
}

}  // namespace

std::optional<DeviceChoice> parse_device(std::string_view text) {
  if (text == "cpu") return DeviceChoice{};
  if (text == "auto") return DeviceChoice{DeviceChoice::Kind::automatic, {}};
  DeviceChoice choice{DeviceChoice::Kind::cuda, {}};
  if (text == "cuda") return choice;
  constexpr std::string_view start = "cuda:";
  if (!text.starts_with(start)) return std::nullopt;
  for (const auto range : split(text.substr(start.size()), ',')) {
    if (!add_range(choice.indices, range)) return std::nullopt;
  }
  return choice;
}

std::string device_text(const DeviceChoice& choice) {
  if (choice.kind == DeviceChoice::Kind::cpu) return "cpu";
  if (choice.kind == DeviceChoice::Kind::automatic) return "auto";
  std::string text = "cuda";
  for (std::size_t i = 0; i < choice.indices.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? ":" : ",", choice.indices[i]);
  return text;
}

}  // namespace floe::cli
