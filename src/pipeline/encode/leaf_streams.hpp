// Streams that are one leaf, a codec of the publications: which codec, and their bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "chunks/leaf.hpp"
#include "pipeline/encode/group_encoder.hpp"

namespace floe::pipeline {

/// The codec that a stream of one part with this plan is; none for other trees.
std::optional<chunks::Leaf> leaf_of(const trees::Plan& plan);
/// Estimates by four chunks may be wrong by this part, however alike these are.
inline constexpr std::uint64_t min_error_part = 16;
/// Estimates by every eighth chunk or more are wrong by no more than this part, however much chunks differ.
inline constexpr std::uint64_t max_error_part = 32;
/// The codec that makes least of a stream going by samples of it, if that may be less than `limit` bytes.
std::optional<chunks::Leaf> find_better_codec(const trees::ColumnView& words, std::uint64_t limit);
/// Gives a job its bytes and digest.
void encode_leaf(const chunks::Leaf& leaf, bool checksum, StreamJob& job, FrameRoom* room = nullptr);
/// A job that has the bytes of a codec gets those of another one where they are fewer. Samples of words that
/// change their kind deceive, and codecs without a history take little time.
void try_fast_codecs(bool checksum, StreamJob& job);

/// Gives a job whose bytes are parts with trees its digest.
void add_digest(StreamJob& job, bool checksums);

}  // namespace floe::pipeline
