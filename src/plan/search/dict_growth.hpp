// How a dictionary grows from a sample to the whole stream.
#pragma once

#include <vector>

#include "encodings/stream.hpp"
#include "plan/search/windows.hpp"

namespace floe::trees {

constexpr bool is_dictionary(EncodingId encoding) noexcept {
  return encoding == EncodingId::dict || encoding == EncodingId::unique;
}

/// What a sample of a dictionary does not show.
struct DictGrowth {
  std::uint64_t entry_scale = 256;  ///< Entries of the stream for each one of the sample, in 1/256.
  std::uint64_t code_cost = 0;      ///< What the codes of rare words need more.
  bool is_too_large = false;        ///< Codes do not reach so far.
};

/// `children`: what the encoding made of the sample. Nothing grows that is no dictionary, or where the sample
/// is the stream.
DictGrowth growth_of(EncodingId encoding, const Sample& sample, std::vector<Stream>& children,
                     std::uint64_t distinct = 0);

}  // namespace floe::trees
