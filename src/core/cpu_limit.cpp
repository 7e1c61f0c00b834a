#include "core/workers.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace floe::core {
namespace {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

/// "max" and -1 are no numbers here: they stand for no limit.
std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint32_t limit_of(std::string_view quota_text, std::string_view period_text) {
  const auto quota = number(quota_text), period = number(period_text);
  if (!quota || !period || *quota == 0 || *period == 0) return no_cpu_limit;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>((*quota - 1) / *period + 1, 1, no_cpu_limit));
}

/// Version 2: one file with "QUOTA PERIOD".
std::uint32_t limit_in_version_2(const std::string& group) {
  const auto found = first_line(group + "/cpu.max");
  if (!found) return no_cpu_limit;
  const std::string_view line = *found;
  const std::size_t space = line.find(' ');
  return space == std::string_view::npos ? no_cpu_limit
                                         : limit_of(line.substr(0, space), line.substr(space + 1));
}

/// Version 1: a file for each.
std::uint32_t limit_in_version_1(const std::string& group) {
  const auto quota = first_line(group + "/cpu.cfs_quota_us");
  return quota ? limit_of(*quota, first_line(group + "/cpu.cfs_period_us").value_or("")) : no_cpu_limit;
}

/// Groups lie in each other, and every one limits those inside. In a container the path may be that of the
/// host, which cannot be seen; the topmost group that can be seen is the container's then.
template <class LimitIn>
std::uint32_t smallest_limit(const std::string& mount, std::string path, const LimitIn& limit_in) {
  std::uint32_t limit = limit_in(mount);
  while (path.size() > 1) {
    limit = std::min(limit, limit_in(mount + path));
    path.resize(path.rfind('/'));
  }
  return limit;
}

/// Whether "cpu" stands in a list such as "cpu,cpuacct".
bool names_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "cpu") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

std::uint32_t read_limit(const std::string& root) {
  const std::string groups = root + "sys/fs/cgroup";
  std::ifstream memberships(root + "proc/self/cgroup");
  std::uint32_t limit = no_cpu_limit;
  for (std::string line;
       std::getline(memberships, line);) {  // NUMBER:CONTROLLERS:/PATH, without controllers for version 2
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || second + 1 >= line.size() ||
        line[second + 1] != '/')
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1),
                      path = line.substr(second + 1);
    if (controllers.empty()) {
      for (const char* mount : {"", "/unified"})
        limit = std::min(limit, smallest_limit(groups + mount, path, limit_in_version_2));
    } else if (names_cpu(controllers)) {
      for (const std::string& mount : {"/" + controllers, std::string("/cpu")})
        limit = std::min(limit, smallest_limit(groups + mount, path, limit_in_version_1));
    }
  }
  return limit;
}

}  // namespace

std::uint32_t cpu_limit_of_groups(const std::string& root) noexcept {
  try {
    return read_limit(root);
  } catch (const std::exception&) {  // without memory for it, better too many threads than none
    return no_cpu_limit;
  }
}

}  // namespace floe::core
