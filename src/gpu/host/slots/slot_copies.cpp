#include "gpu/host/slots/slot_copies.hpp"

namespace floe::gpu {
namespace {

/// So few bytes between two pieces are copied with them: that takes less time than another copy.
constexpr std::uint64_t max_gap_in = 512, max_gap_out = min_direct_bytes;

}  // namespace

void InputCopies::add(const void* from, Range to) {
  if (to.bytes == 0) return;
  if (is_direct(slot_, from, to.bytes)) {
    copies_.push_back({from, to});
    return;
  }
  const bool extends =
      !copies_.empty() && copies_.back().from == nullptr && to.offset - copies_.back().to.end() <= max_gap_in;
  if (extends) {
    staged_bytes_ += to.offset - copies_.back().to.end();
    copies_.back().to.bytes = to.end() - copies_.back().to.offset;
  } else {
    copies_.push_back({nullptr, to});
  }
  to_staging_.push_back({nullptr, from, to.bytes});
  offsets_.push_back(staged_bytes_);
  staged_bytes_ += to.bytes;
}

Status InputCopies::start(const Task& task, const Executor& executor) {
  const auto staging = slot_.staging(staged_bytes_);
  if (!staging) return staging.status();
  for (std::size_t i = 0; i < to_staging_.size(); ++i) to_staging_[i].to = *staging + offsets_[i];
  core::run_copies(to_staging_, executor);
  const std::uint8_t* next = *staging;
  for (CopyIn& copy : copies_) {
    if (copy.from != nullptr) continue;
    copy.from = next;
    next += copy.to.bytes;
  }
  return slot_.start(task, copies_);
}

std::size_t OutputCopies::add(Range from, void* to) {
  copies_.push_back({from, to, is_direct(slot_, to, from.bytes) ? to : nullptr});
  return copies_.size() - 1;
}

Status OutputCopies::fetch() {
  std::vector<CopyOut> made;
  std::vector<std::uint64_t> offsets(copies_.size());  // in the memory of the host
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    const Copy& copy = copies_[i];
    if (copy.fetched != nullptr) {
      made.push_back({copy.from, copy.fetched});
      continue;
    }
    const bool extends = !made.empty() && made.back().to == nullptr &&
                         copy.from.offset >= made.back().from.end() &&
                         copy.from.offset - made.back().from.end() <= max_gap_out;
    if (extends) {
      bytes += copy.from.offset - made.back().from.end();
      made.back().from.bytes = copy.from.end() - made.back().from.offset;
    } else {
      made.push_back({copy.from, nullptr});
    }
    offsets[i] = bytes;
    bytes += copy.from.bytes;
  }
  const auto pinned = slot_.result_memory(bytes);
  if (!pinned && pinned.status().code != ErrorCode::out_of_memory) return pinned.status();
  if (!pinned) pageable_.resize(bytes);
  std::uint8_t* next = pinned ? *pinned : pageable_.data();
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].fetched == nullptr) copies_[i].fetched = next + offsets[i];
  }
  for (CopyOut& copy : made) {
    if (copy.to != nullptr) continue;
    copy.to = next;
    next += copy.from.bytes;
  }
  return slot_.fetch(made);
}

}  // namespace floe::gpu
