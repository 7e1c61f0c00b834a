// Checks that hold for words of every width.
#pragma once

#include <cstddef>

#include "core/type.hpp"

namespace floe::trees {

/// Calls `check` with a word of every width.
template <class Check>
void for_each_word(const Check& check) {
  for (const std::size_t bytes : {1, 2, 4, 8}) with_word(bytes, check);
}

}  // namespace floe::trees
