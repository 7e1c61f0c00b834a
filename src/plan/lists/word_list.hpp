// All different words of a stream, and the positions of its words among them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "encodings/stream.hpp"

namespace floe::trees {

struct WordList {
  Block words;  ///< In ascending order.
  std::uint64_t count = 0;
  std::vector<std::uint16_t> codes;
};

/// Nothing if there are more than every second word is, or than a dictionary holds. Throws std::bad_alloc.
std::optional<WordList> list_words(const ColumnView& stream, Scratch& scratch);

}  // namespace floe::trees
