// A file in memory that counts what is read of it.
#pragma once

#include <cstring>
#include <span>
#include <utility>

#include "floe/floe.hpp"
#include "tests/support/data.hpp"

namespace floe::test {

class WatchedFile {
 public:
  explicit WatchedFile(const Bytes& bytes) : bytes_(bytes) {}

  ReadAt reader() {
    return [this](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
      if (offset > bytes_.size() || bytes.size() > bytes_.size() - offset)
        return {ErrorCode::io_error, 0, "read outside the frame"};
      if (!bytes.empty()) std::memcpy(bytes.data(), bytes_.data() + offset, bytes.size());
      read_bytes_ += bytes.size();
      return {};
    };
  }
  /// Since the last call.
  std::size_t take_read_bytes() { return std::exchange(read_bytes_, 0); }

 private:
  const Bytes& bytes_;
  std::size_t read_bytes_ = 0;
};

}  // namespace floe::test
