// Stored streams back to words, many side by side, by threads and by devices. What is stored is checked
// before it is decoded.
#pragma once

#include <cstdint>
#include <span>

#include "container/segment.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"

namespace floe::pipeline {

struct StoredStream {
  container::StreamEntry entry;
  std::span<const std::uint8_t> bytes;  ///< With its padding.
  std::uint64_t frame_offset = 0;       ///< Of the bytes.
  void* words = nullptr;                ///< Room for all of them, aligned.
  Status status;                        ///< What became of it.
};

/// Sets the status of every stream: corrupt_frame, unsupported_version, out_of_memory. `beside` may be null; its errors are
/// returned. Throws std::bad_alloc.
Status decode_streams(std::span<StoredStream> streams, bool checksums, core::Workers& workers,
                      StreamDecoder* beside);

/// Checks that a stream is intact, all of it. Errors: corrupt_frame.
Status check_stream(const StoredStream& stream, bool checksums);

}  // namespace floe::pipeline
