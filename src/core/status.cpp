#include <string>

#include "floe/error.hpp"

namespace floe {

const char* name_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::ok:
      return "ok";
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::output_too_small:
      return "output_too_small";
    case ErrorCode::corrupt_frame:
      return "corrupt_frame";
    case ErrorCode::truncated_frame:
      return "truncated_frame";
    case ErrorCode::unsupported_version:
      return "unsupported_version";
    case ErrorCode::unsupported_codec:
      return "unsupported_codec";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::device_error:
      return "device_error";
    case ErrorCode::io_error:
      return "io_error";
  }
  return "unknown";
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
