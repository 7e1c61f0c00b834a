// Frames within files that are open.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "floe/floe.hpp"

namespace floe::python {

/// Reads a frame that begins at `begin` of the file.
inline ReadAt read_from(int descriptor, std::uint64_t begin) {
  return [descriptor, begin](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
    while (!bytes.empty()) {
      const ssize_t got = pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(begin + offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return {ErrorCode::io_error, offset, "the file cannot be read"};
      if (got == 0) return {ErrorCode::io_error, offset, "the file has become shorter"};
      bytes = bytes.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return {};
  };
}

}  // namespace floe::python
