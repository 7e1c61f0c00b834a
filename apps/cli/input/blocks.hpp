// A source from its begin to its end, block by block.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "input/input_file.hpp"

namespace floe::cli {

/// The first bytes of a source, up to a whole block.
std::vector<std::byte> read_begin(InputFile& source);

/// Reads `source` to its end. `begin` was read from it already. Fails if the file was changed meanwhile.
void for_each_block(InputFile& source, std::span<const std::byte> begin,
                    const std::function<void(std::span<const std::byte>)>& take);

}  // namespace floe::cli
