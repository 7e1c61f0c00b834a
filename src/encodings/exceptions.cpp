// Taking words that an encoding cannot say out of a stream.
#include "encodings/exceptions.hpp"

#include <utility>

#include "core/word.hpp"

namespace floe::trees {

void put_exceptions(const ColumnView& in, std::span<const std::uint64_t> positions, Encoded& out) {
  Stream gaps(gap_type, positions.size(), out.scratch), values(in.type, positions.size(), out.scratch);
  std::uint64_t* gap = gaps.words<std::uint64_t>().data();
  std::uint64_t next = 0;
  for (const std::uint64_t position : positions) {
    *gap++ = position - next;
    next = position + 1;
  }
  with_word(size_of(in.type), [&]<class W>(W) {
    const W* const words = in.words<W>().data();
    W* value = values.words<W>().data();
    for (const std::uint64_t position : positions) *value++ = words[position];
  });
  out.children.push_back(std::move(gaps));
  out.children.push_back(std::move(values));
}

}  // namespace floe::trees
