#include "failure.hpp"

#include <fmt/format.h>

#include <system_error>

#include "text.hpp"

namespace floe::cli {

Failure::Failure(ExitCode code, std::string_view file, std::string_view cause)
    : std::runtime_error(fmt::format("{}: {}", printable(file), cause)), code_(code), cause_(cause) {}

Failure system_failure(std::string_view file, int error_number, std::string_view doing) {
  const std::string reason = std::generic_category().message(error_number);
  return {ExitCode::error, file, doing.empty() ? reason : fmt::format("{}: {}", doing, reason)};
}

Failure library_failure(std::string_view file, const Status& status) {
  const bool corrupt = status.code == ErrorCode::corrupt_frame || status.code == ErrorCode::truncated_frame;
  const std::string_view detail = status.detail[0] != '\0' ? status.detail : name_of(status.code);
  if (!corrupt) return {ExitCode::error, file, detail};
  const std::string_view kind = status.code == ErrorCode::corrupt_frame ? "corrupt" : "truncated";
  return {ExitCode::corrupt, file, fmt::format("{}: {} (at byte {})", kind, detail, status.byte_offset)};
}

}  // namespace floe::cli
