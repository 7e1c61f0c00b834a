#include "input/read_ahead.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <system_error>

#include "base/helper_thread.hpp"

namespace floe::cli {
namespace {

constexpr std::size_t max_blocks_ahead = 4;  // one is read, one is worked on, two make up for an uneven pace

}  // namespace

ReadAhead::ReadAhead(InputFile& source)
    : source_(source),
      queue_(read_bytes, max_blocks_ahead),
      stop_descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (stop_descriptor_ < 0) return;
  try {
    thread_ = start_helper_thread([this] {
      while (read_block()) {
      }
    });
  } catch (const std::system_error&) {  // next() reads then
  }
}

ReadAhead::~ReadAhead() {
  queue_.cancel();
  if (thread_.joinable()) {
    (void)::eventfd_write(stop_descriptor_, 1);
    thread_.join();
  }
  if (stop_descriptor_ >= 0) ::close(stop_descriptor_);
}

bool ReadAhead::read_block() {
  try {
    const std::span<std::byte> block = queue_.room();
    if (block.empty()) return false;
    const std::size_t count = source_.read(block, stop_descriptor_);
    if (count != 0) queue_.push(count);
    if (count == block.size()) return true;
  } catch (...) {
    failure_ = std::current_exception();
  }
  queue_.end();
  return false;
}

std::span<const std::byte> ReadAhead::next() {
  if (has_block_) queue_.pop();
  if (!thread_.joinable()) (void)read_block();
  const std::span<const std::byte> block = queue_.front();
  has_block_ = !block.empty();
  if (!has_block_ && failure_) std::rethrow_exception(failure_);
  return block;
}

}  // namespace floe::cli
