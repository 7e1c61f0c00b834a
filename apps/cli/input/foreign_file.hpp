// What a file is that is no frame: one of another kind, text, or neither.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace floe::cli {

/// "a gzip file, not a floe frame", by the first bytes of a file; empty if they are those of a frame, or
/// could be.
std::string foreign_text(std::span<const std::byte> begin);
/// So many bytes tell the kinds of files apart.
inline constexpr std::size_t foreign_probe_bytes = 512;
/// Whether they are the first bytes of a frame, or could be.
bool begins_as_frame(std::span<const std::byte> begin);
/// Before the header of a safetensors file, as its length.
inline constexpr std::size_t header_length_bytes = 8;
/// Whether they are the first bytes of a safetensors file: the length of its header, and the header's brace.
bool begins_as_tensors(std::span<const std::byte> begin);
/// Whether bytes are mostly ASCII, without control characters; no bytes are no text.
bool is_text(std::span<const std::byte> begin);
/// Throws a Failure if the first bytes of `file` are not those of a frame.
void refuse_foreign(const std::string& file, std::span<const std::byte> begin);

}  // namespace floe::cli
