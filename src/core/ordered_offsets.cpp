#include "core/ordered_offsets.hpp"

namespace floe::core {

std::optional<std::size_t> OrderedOffsets::take() {
  const std::lock_guard lock(mutex_);
  if (taken_count_ == parts_.size()) return std::nullopt;
  return taken_count_++;
}

void OrderedOffsets::complete(std::size_t part, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  parts_[part].bytes = bytes;
  parts_[part].complete = true;
  if (part != complete_count_) return;
  for (; complete_count_ < parts_.size(); ++complete_count_) {
    Part& next = parts_[complete_count_];
    next.offset = complete_bytes_;
    if (!next.complete) break;
    complete_bytes_ += next.bytes;
  }
  if (waiting_count_ != 0) offset_known_.notify_all();
}

std::optional<std::uint64_t> OrderedOffsets::offset(std::size_t part) const {
  const std::lock_guard lock(mutex_);
  if (part > complete_count_) return std::nullopt;
  return parts_[part].offset;
}

std::uint64_t OrderedOffsets::wait_for_offset(std::size_t part) {
  std::unique_lock lock(mutex_);
  ++waiting_count_;
  offset_known_.wait(lock, [&] { return part <= complete_count_; });
  --waiting_count_;
  return parts_[part].offset;
}

std::uint64_t OrderedOffsets::all_bytes() const {
  const std::lock_guard lock(mutex_);
  return complete_bytes_;
}

}  // namespace floe::core
