// What is intact of a stored stream, back to words: all of it, or of a leaf stream chunks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "container/parts.hpp"
#include "core/memory_budget.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"

namespace floe::recovery {

enum class Checksums : std::uint8_t { no, yes, unknown };

struct DamagedStream {
  container::StreamEntry entry;
  std::span<std::uint8_t> bytes;         ///< With padding, which is made zero. What is missing is zero, too.
  std::uint64_t offset = 0;              ///< Of the bytes, for messages.
  bool are_bytes_there = true;           ///< None is missing.
  Checksums checksums = Checksums::yes;  ///< Becomes known by a stream that is intact.
  void* words = nullptr;                 ///< Room, aligned; what is lost becomes zero.
  core::MemoryBudget* budget = nullptr;  ///< For what its trees take, if it is limited.
};

struct RecoveredWords {
  std::vector<Slice> lost;      ///< Ascending.
  std::vector<Slice> unproven;  ///< Chunks that match their checksums, in a damaged table.
  Status cause;                 ///< Of the first one.
};

/// Throws std::bad_alloc.
RecoveredWords recover_words(DamagedStream& stream, core::Workers& workers);

/// Bytes that it may allocate for a stream.
std::uint64_t recovery_bytes(const container::StreamEntry& entry) noexcept;

}  // namespace floe::recovery
