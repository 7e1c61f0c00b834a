#include "base/failure.hpp"

#include <fmt/core.h>

#include <system_error>

#include "base/text.hpp"

namespace floe::cli {

Failure::Failure(ExitCode code, std::string_view file, std::string_view cause)
    : std::runtime_error(fmt::format("{}: {}", printable(file), cause)), code_(code), cause_(cause) {}

Failure system_failure(std::string_view file, int error_number, std::string_view doing) {
  const std::string reason = std::generic_category().message(error_number);
  return {ExitCode::error, file, doing.empty() ? reason : fmt::format("{}: {}", doing, reason)};
}

Failure library_failure(std::string_view file, const Status& status,
                        std::optional<std::uint64_t> file_bytes) {
  const std::string_view detail = status.detail[0] != '\0' ? status.detail : name_of(status.code);
  std::string position = fmt::format("byte {}", status.byte_offset);
  if (file_bytes && *file_bytes > status.byte_offset) position += fmt::format(" of {}", *file_bytes);
  switch (status.code) {
    case ErrorCode::corrupt_frame:
      return {ExitCode::corrupt, file, fmt::format("corrupt: {} (at {})", detail, position)};
    case ErrorCode::truncated_frame:
      return {ExitCode::corrupt, file, fmt::format("the frame is cut at {}: {}", position, detail)};
    default:
      return {ExitCode::error, file, detail};
  }
}

}  // namespace floe::cli
