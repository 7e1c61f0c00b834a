// MatchHistory over a segment: words whose contexts are equal are brought together in parts that fit a cache;
// there a table finds matches.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "chunks/stages/stages.hpp"

namespace floe::cpu {

/// Calls work(0) ... work(count - 1), each once, perhaps at the same time, and returns when all have
/// returned.
using RunAll = std::function<void(std::uint32_t count, const std::function<void(std::uint32_t index)>& work)>;

/// Bytes of scratch memory that find_matches needs with so many workers: 17 per word, and some hundred KiB
/// per worker.
std::size_t match_scratch_bytes(std::size_t words, std::uint32_t workers);

/// Writes how far before it the match of every word is, 0 if there is none. `content` holds fewer than 2^32
/// words of 64 bits, at any address. `scratch` is aligned to 64. What is written does not depend on the
/// number of workers, at least 1, by which the work is shared. Allocates 8 bytes for every context that is
/// new among the contexts of a part, if there are more than some thousand; throws std::bad_alloc.
void find_matches(std::span<const std::uint8_t> content, std::span<std::uint32_t> distances,
                  std::span<std::uint8_t> scratch, std::uint32_t workers, const RunAll& run);

/// The words [first, first + out.size()) of what the stage makes of `content`: of the values, followed by the
/// distances.
void coded_words(std::span<const std::uint8_t> content, std::span<const std::uint32_t> distances,
                 std::uint64_t first, std::span<std::uint64_t> out);

/// Replaces the words [first, first + distances.size()) of `words`, which are values, by their matches. The
/// words before are done. False if a distance leads before the first word.
bool resolve_matches(std::span<std::uint8_t> words, std::uint64_t first,
                     std::span<const std::uint64_t> distances);

/// About how many of 1000 words follow an equal context with an equal word, going by a sample of the
/// contexts. Words that equal the one before do not count. `content` holds words of 64 bits, at any address.
/// With `share_bits`, at most 63, one page of 512 words in 2^share_bits is looked at: of matches farther away
/// than a page, as small a share shows. Throws std::bad_alloc.
std::uint32_t matches_in_thousand(std::span<const std::uint8_t> content, unsigned share_bits = 0);

}  // namespace floe::cpu
