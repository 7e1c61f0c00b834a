// A column encoded by emulated lanes, by a block and, if its tree is a chain, packed straight to its
// position, to compare with the CPU's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/encode/encode_job.hpp"
#include "gpu/encode/encode_limits.hpp"
#include "gpu/frames/job.hpp"
#include "tests/series/columns.hpp"

namespace floe::test {

/// By one warp, or by as many as blocks of devices have, which run at the same time.
std::vector<std::uint8_t> encode_emulated(const trees::Plan& plan, const Column& column, unsigned warps = 1);

/// Encodes the arrays of a job that was set up, segment by segment. `parks`: those that blocks take for any
/// tree get their positions when all are encoded, from the last one on.
void encode_items_emulated(const gpu::CompressJob& job, const trees::Plan& plan, std::uint32_t segment_words,
                           bool parks = false);

/// With blocks for chains above a leaf of entropy. Nothing if the plan is none that they take. `stores`: by
/// the kernel that stores grids and deltas even if there is none that it has to.
std::vector<std::uint8_t> pack_entropy_emulated(const trees::Plan& plan, const Column& column,
                                                unsigned warps = 1, bool stores = false);

/// The segments of a job that was set up. False if another kernel has to encode them.
bool pack_items_emulated(gpu::EncodeColumnsJob job, std::uint32_t segments, const gpu::EncodeNeeds& needs);

/// How tiles get from being looked at to being packed.
enum class Way : std::uint8_t { read_again, read_ahead, held_by_clusters };

/// By one warp, tile by tile, straight to its position. Nothing if the plan is no chain, or some word does
/// not map.
std::vector<std::uint8_t> pack_emulated(const trees::Plan& plan, const Column& column, Way way);

/// Fails if the bytes of the CPU are not `ours`.
void expect_bytes(const std::vector<std::uint8_t>& bytes, const std::vector<std::uint8_t>& ours, DType type,
                  const std::string& what);

/// Encodes a column in all these ways, and fails where the bytes are not the CPU's.
void expect_same_bytes(const trees::Plan& plan, const Column& column, const std::string& what);

}  // namespace floe::test
