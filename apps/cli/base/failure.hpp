// What can go wrong for one file, and the exit code that says so.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "floe/types.hpp"

namespace floe::cli {

/// With several files the program goes on after a failure and exits with the largest code that occurred.
enum class ExitCode : int { ok = 0, error = 1, usage = 2, corrupt = 3, verify_mismatch = 4 };

/// One failure; its text is one line: "FILE: cause". Only the program throws it, never across a call into the
/// library.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, std::string_view file, std::string_view cause);
  [[nodiscard]] ExitCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& cause() const noexcept { return cause_; }

 private:
  ExitCode code_;
  std::string cause_;
};

/// A system call failed on `file`; `error_number` is its errno. `doing`, e.g. "cannot create a temporary
/// file", may be empty.
Failure system_failure(std::string_view file, int error_number, std::string_view doing = {});
/// The library refused: corrupt and truncated frames exit with 3 and name the byte, everything else with 1.
/// `file_bytes`: the length of the file, if it is known.
Failure library_failure(std::string_view file, const Status& status,
                        std::optional<std::uint64_t> file_bytes = {});

}  // namespace floe::cli
