// Reads a source while what was read before is worked on.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <thread>

#include "base/block_queue.hpp"
#include "input/input_file.hpp"

namespace floe::cli {

/// Reads from where `source` stands to its end, in a thread of its own that is at most some blocks ahead; if
/// there cannot be another thread, block by block. Nobody else may read meanwhile.
class ReadAhead {
 public:
  explicit ReadAhead(InputFile& source);
  /// Ends a read that waits, too.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The next block, which is valid until the next call; empty at the end. Throws the Failure of the read.
  std::span<const std::byte> next();

 private:
  /// Reads a block; at the end or after a failure it ends the queue and returns false.
  bool read_block();

  InputFile& source_;
  BlockQueue queue_;
  int stop_descriptor_;
  bool has_block_ = false;
  std::exception_ptr failure_;  ///< Written before the queue ends, read afterwards.
  std::jthread thread_;
};

}  // namespace floe::cli
