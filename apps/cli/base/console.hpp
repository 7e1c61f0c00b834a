// What people see while the program works. All of it goes to standard error, one line per message.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace floe::cli {

void print_error(std::string_view text);
void print_note(std::string_view text);
void print_summary(std::string_view text);

/// A line that says how far a file is. Shown only if standard error is a terminal; wiped out when it goes.
class Progress {
 public:
  Progress(std::string_view label, std::optional<std::uint64_t> total_bytes, bool wanted);
  ~Progress() { wipe_out(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::uint64_t read_bytes, std::uint64_t written_bytes);
  /// Before anything else is printed.
  void wipe_out();

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  std::optional<std::uint64_t> total_bytes_;
  bool active_;
  bool visible_ = false;
  Clock::time_point next_;
};

}  // namespace floe::cli
