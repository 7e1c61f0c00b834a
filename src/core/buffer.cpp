#include "core/buffer.hpp"

namespace floe::core {

std::span<std::uint8_t> Buffer::reserve(std::size_t bytes) {
  if (bytes > memory_.capacity()) {
    keep_spare(std::exchange(memory_, {}));
    memory_ = take_spare_block(bytes);
  }
  return {memory_.data(), bytes};
}

}  // namespace floe::core
