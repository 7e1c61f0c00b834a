// From the bytes of a tree to its words, without a planner: the plan and the headers say everything.
#pragma once

#include <memory>

#include "encodings/source.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// What a source counts for, without what follows from its header: some pieces of words, a table.
inline constexpr std::uint64_t memory_of_node = std::uint64_t{64} << 10;

/// Opens the root of a tree whose body is at the front of `body`. Null if the bytes contradict the format.
/// Precondition: a checked plan for `type`; count > 0. The bytes must outlive the source.
std::unique_ptr<Source> open_tree(const Plan& plan, ByteReader& body, DType type, std::uint64_t count,
                                  Wanted wanted);

/// Decodes a whole tree to `out`, which has room for `count` words and is aligned for them. False if the
/// bytes contradict the format.
bool decode_tree(const Plan& plan, std::span<const std::uint8_t> body, DType type, std::uint64_t count,
                 void* out);

}  // namespace floe::trees
