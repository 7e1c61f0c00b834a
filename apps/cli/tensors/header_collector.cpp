#include "tensors/header_collector.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/failure.hpp"
#include "base/text.hpp"

namespace floe::cli {

std::uint64_t checked_header_length(const std::string& file, std::string_view length,
                                    std::optional<std::uint64_t> file_bytes) {
  std::uint64_t bytes = 0;
  for (std::size_t i = header_length_bytes; i-- > 0;)
    bytes = bytes << 8 | static_cast<unsigned char>(length[i]);
  const auto refuse = [&](const std::string& than) {
    throw Failure(
        ExitCode::corrupt, file,
        fmt::format("corrupt: its header would have {} bytes, more than {} (at byte 0)", bytes, than));
  };
  if (bytes > max_header_bytes) refuse(fmt::format("the {} of any", max_header_bytes));
  if (file_bytes && bytes > *file_bytes - std::min<std::uint64_t>(*file_bytes, header_length_bytes))
    refuse(fmt::format("the file of {}", plural(*file_bytes, "byte")));
  return bytes;
}

bool HeaderCollector::fill(std::span<const std::byte>& bytes, std::uint64_t wanted) {
  const std::size_t count = std::min<std::uint64_t>(wanted - bytes_.size(), bytes.size());
  bytes_.append(reinterpret_cast<const char*>(bytes.data()), count);
  bytes = bytes.subspan(count);
  return bytes_.size() == wanted;
}

std::span<const std::byte> HeaderCollector::take(std::span<const std::byte> bytes) {
  if (bytes_.size() < header_length_bytes && !fill(bytes, header_length_bytes)) return bytes;
  const std::uint64_t length = checked_header_length(file_, bytes_, file_bytes_);
  is_complete_ = fill(bytes, header_length_bytes + length);
  return bytes;
}

void HeaderCollector::finish() const {
  if (!is_complete_)
    throw Failure(ExitCode::corrupt, file_, fmt::format("is cut at byte {}, in its header", bytes_.size()));
}

}  // namespace floe::cli
