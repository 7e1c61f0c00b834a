#include "gpu/host/slots/slot_copies.hpp"

namespace floe::gpu {
namespace {

/// So few bytes between two pieces are copied with them: that takes less time than another copy.
constexpr std::uint64_t max_gap_in = 512, max_gap_out = min_direct_bytes;
/// The same where they are the caller's: what stands between the streams of a frame.
constexpr std::uint64_t max_gap_of_caller = 127;

/// Pieces that may be copied at once.
struct PieceRun {
  std::size_t first = 0, end = 0;
  Range device;            ///< From the first one to the last one, and what lies between them.
  bool is_direct = false;  ///< The device reaches the host's memory.
};

/// Whether a piece lies behind the one before as far in memory of the host as on the device.
bool is_neighbour(const Piece& piece, const Piece& before) {
  if (!piece.follows || piece.device.offset < before.device.end()) return false;
  const std::uint64_t gap = piece.device.offset - before.device.end();
  return gap <= max_gap_of_caller &&
         piece.host == static_cast<const std::uint8_t*>(before.host) + before.device.bytes + gap;
}

/// Of pieces one behind the other on the device.
std::vector<PieceRun> runs_of(std::span<const Piece> pieces, const Slot& slot) {
  std::vector<PieceRun> runs;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (runs.empty() || !is_neighbour(pieces[i], pieces[i - 1])) runs.push_back({i, i, pieces[i].device});
    runs.back().end = i + 1;
    runs.back().device.bytes = pieces[i].device.end() - runs.back().device.offset;
  }
  for (PieceRun& run : runs) run.is_direct = is_direct(slot, pieces[run.first].host, run.device.bytes);
  return runs;
}

/// A copy that goes through other memory of the host.
struct StagedCopy {
  Range device;
  std::uint64_t offset = 0;  ///< In that memory.
};

/// Runs that are not direct, with those that are at most `max_gap` bytes behind them.
std::vector<StagedCopy> staged_copies(std::span<const PieceRun> runs, std::uint64_t max_gap) {
  std::vector<StagedCopy> copies;
  bool extends = false;
  for (const PieceRun& run : runs) {
    if (run.is_direct) {
      extends = false;
      continue;
    }
    if (extends && run.device.offset >= copies.back().device.end() &&
        run.device.offset - copies.back().device.end() <= max_gap) {
      copies.back().device.bytes = run.device.end() - copies.back().device.offset;
    } else {
      copies.push_back({run.device, copies.empty() ? 0 : copies.back().offset + copies.back().device.bytes});
    }
    extends = true;
  }
  return copies;
}

std::uint64_t bytes_of(const std::vector<StagedCopy>& copies) {
  return copies.empty() ? 0 : copies.back().offset + copies.back().device.bytes;
}

}  // namespace

void InputCopies::add(const void* from, Range to, bool follows) {
  if (to.bytes != 0) pieces_.push_back({from, to, follows});
}

Status InputCopies::start(const Task& task, const Executor& executor) {
  const std::vector<PieceRun> runs = runs_of(pieces_, slot_);
  const std::vector<StagedCopy> staged = staged_copies(runs, max_gap_in);
  const auto staging = slot_.staging(bytes_of(staged));
  if (!staging) return staging.status();
  std::vector<CopyIn> copies;
  for (const StagedCopy& copy : staged) copies.push_back({*staging + copy.offset, copy.device});
  std::vector<core::HostCopy> to_staging;
  auto into = staged.begin();
  for (const PieceRun& run : runs) {
    if (run.is_direct) {
      copies.push_back({pieces_[run.first].host, run.device});
      continue;
    }
    while (run.device.offset >= into->device.end() || run.device.offset < into->device.offset) ++into;
    for (std::size_t i = run.first; i < run.end; ++i) {
      to_staging.push_back({*staging + into->offset + (pieces_[i].device.offset - into->device.offset),
                            pieces_[i].host, pieces_[i].device.bytes});
    }
  }
  core::run_copies(to_staging, executor);
  return slot_.start(task, copies);
}

std::size_t OutputCopies::add(Range from, void* to, bool follows) {
  pieces_.push_back({to, from, follows && to != nullptr});
  copies_.push_back({to, from.bytes});
  return copies_.size() - 1;
}

Status OutputCopies::fetch() {
  const std::vector<PieceRun> runs = runs_of(pieces_, slot_);
  const std::vector<StagedCopy> staged = staged_copies(runs, max_gap_out);
  const auto pinned = slot_.result_memory(bytes_of(staged));
  if (!pinned && pinned.status().code != ErrorCode::out_of_memory) return pinned.status();
  if (!pinned) pageable_.resize(bytes_of(staged));
  std::uint8_t* const memory = pinned ? *pinned : pageable_.data();
  std::vector<CopyOut> made;
  for (const StagedCopy& copy : staged) made.push_back({copy.device, memory + copy.offset});
  auto from = staged.begin();
  for (const PieceRun& run : runs) {
    if (run.is_direct) {
      made.push_back({run.device, copies_[run.first].to});
      for (std::size_t i = run.first; i < run.end; ++i) copies_[i].fetched = copies_[i].to;
      continue;
    }
    while (run.device.offset >= from->device.end() || run.device.offset < from->device.offset) ++from;
    for (std::size_t i = run.first; i < run.end; ++i)
      copies_[i].fetched = memory + from->offset + (pieces_[i].device.offset - from->device.offset);
  }
  return slot_.fetch(made);
}

}  // namespace floe::gpu
