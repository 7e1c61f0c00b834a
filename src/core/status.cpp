// Errors as text.
#include <iterator>
#include <string>

#include "floe/types.hpp"

namespace floe {

const char* name_of(ErrorCode code) noexcept {
  constexpr const char* names[] = {"ok",
                                   "invalid_argument",
                                   "output_too_small",
                                   "corrupt_frame",
                                   "truncated_frame",
                                   "unsupported_version",
                                   "unsupported_codec",
                                   "out_of_memory",
                                   "device_error",
                                   "io_error"};
  const auto number = static_cast<std::uint32_t>(code);
  return number < std::size(names) ? names[number] : "unknown";
}

std::string Status::message() const {
  std::string text = name_of(code);
  if (code == ErrorCode::corrupt_frame || code == ErrorCode::truncated_frame)
    text += " at byte " + std::to_string(byte_offset);
  if (detail[0] != '\0') text.append(": ").append(detail);
  return text;
}

void Status::or_throw() const {
  if (!ok()) throw Error(*this);
}

}  // namespace floe
