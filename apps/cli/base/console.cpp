#include "base/console.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "base/text.hpp"

namespace floe::cli {
namespace {

constexpr std::chrono::milliseconds refresh_interval{100};

// One call per line, so that lines of several programs do not mix. There is nobody to tell if it fails.
void put(const std::string& text) { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

void print_error(std::string_view text) { put(fmt::format("floe: {}\n", text)); }
void print_note(std::string_view text) { put(fmt::format("floe: note: {}\n", text)); }
void print_summary(std::string_view text) { put(fmt::format("{}\n", text)); }

Progress::Progress(std::string_view label, std::optional<std::uint64_t> total_bytes, bool wanted)
    : label_(printable(label)),
      total_bytes_(total_bytes),
      active_(wanted && ::isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + refresh_interval) {}

void Progress::wipe_out() {
  if (visible_) put("\r\033[K");
  visible_ = false;
}

void Progress::show(std::uint64_t read_bytes, std::uint64_t written_bytes) {
  if (!active_ || Clock::now() < next_) return;
  next_ = Clock::now() + refresh_interval;
  visible_ = true;
  const std::string percent = total_bytes_ && *total_bytes_ != 0
                                  ? fmt::format("{:3.0f} %  ", 100.0 * static_cast<double>(read_bytes) /
                                                                   static_cast<double>(*total_bytes_))
                                  : "";
  put(fmt::format("\r{} : {}{} -> {}\033[K", label_, percent, bytes_text(read_bytes),
                  bytes_text(written_bytes)));
}

}  // namespace floe::cli
