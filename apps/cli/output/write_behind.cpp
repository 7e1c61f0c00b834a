#include "output/write_behind.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/helper_thread.hpp"

namespace floe::cli {
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20;
constexpr std::size_t max_blocks_behind =
    17;  // a default segment with its header, which comes at once: the next one is coded while it is written

}  // namespace

WriteBehind::WriteBehind(Write write) : write_(std::move(write)), queue_(block_bytes, max_blocks_behind) {
  thread_ = start_helper_thread([this] { write_all(); });
}

WriteBehind::~WriteBehind() {
  queue_.end();
  if (thread_.joinable()) thread_.join();
}

void WriteBehind::write_all() {
  try {
    for (auto block = queue_.front(); !block.empty(); block = queue_.front()) {
      write_(block);
      queue_.pop();
    }
  } catch (...) {
    failure_ = std::current_exception();
    queue_.cancel();
  }
}

void WriteBehind::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::span<std::byte> room = queue_.room();
    if (room.empty()) return finish();
    const std::size_t count = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), count);
    queue_.push(count);
    bytes = bytes.subspan(count);
  }
}

void WriteBehind::finish() {
  queue_.end();
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace floe::cli
