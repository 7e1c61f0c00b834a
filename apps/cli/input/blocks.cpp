#include "input/blocks.hpp"

#include "input/read_ahead.hpp"

namespace floe::cli {

std::vector<std::byte> read_begin(InputFile& source) { return source.read_up_to(read_bytes); }

void for_each_block(InputFile& source, std::span<const std::byte> begin,
                    const std::function<void(std::span<const std::byte>)>& take) {
  if (!begin.empty()) take(begin);
  if (begin.size() >= read_bytes) {  // a source that small needs no other thread
    ReadAhead ahead(source);
    for (auto block = ahead.next(); !block.empty(); block = ahead.next()) take(block);
  }
  source.check_unchanged();
}

}  // namespace floe::cli
