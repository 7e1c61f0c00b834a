// Whether words that take turns are of different kinds, as the columns of a table in the rows of an array.
#pragma once

#include <cstdint>

#include "encodings/stream.hpp"

namespace floe::trees {

/// Fewer rows say too little: where each column shall get a tree, and where all lie one behind another.
inline constexpr std::uint64_t min_rows_of_columns = 256, min_rows_of_many_columns = 64;

/// The bits, in 1/256, that a word is likely to need less if it is known in which column it is: those by
/// which its magnitude, or that of its difference to the row before, is less uncertain then. By a sample of
/// rows. Precondition: at least min_rows_of_many_columns rows of so many words.
std::uint64_t information_of_columns(const ColumnView& words, std::uint64_t columns);

}  // namespace floe::trees
