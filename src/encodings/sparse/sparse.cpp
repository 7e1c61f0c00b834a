// Freq: the most frequent word, and the others as exceptions.
#include <algorithm>
#include <bit>
#include <vector>

#include "core/bits.hpp"
#include "encodings/encodings.hpp"
#include "encodings/exceptions.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// The word that is most frequent among some words spread evenly.
template <core::Word W>
W poll(std::span<const W> words) {
  std::vector<W> some;
  for (std::size_t i = 0; i < words.size(); i += core::divide_up(words.size(), SparseRules::polled_words))
    some.push_back(words[i]);
  std::sort(some.begin(), some.end());
  W candidate = some[0];
  std::ptrdiff_t max = 0;
  for (auto begin = some.begin(); begin != some.end();) {
    const auto end = std::upper_bound(begin, some.end(), *begin);
    if (end - begin > max) {
      max = end - begin;
      candidate = *begin;
    }
    begin = end;
  }
  return candidate;
}

/// A word, and how many others there are.
template <core::Word W>
struct Frequent {
  W word;
  std::size_t others;
};

/// The word that more than half are equal to, if there is one (where a poll does not find it, Boyer and
/// Moore's vote does, "MJRTY", 1981); otherwise the one that the poll finds. Marks the others in `masks`.
template <core::Word W>
Frequent<W> find_common(std::span<const W> words, std::uint64_t* masks) {
  const auto mark = [&](W word) {
    return Frequent<W>{word, kernels().of<W>().mark_others(words.data(), words.size(), word, masks)};
  };
  const Frequent<W> polled = mark(poll(words));
  if (polled.others * 2 <= words.size()) return polled;  // no other word has more than half
  W candidate = words[0];
  std::uint64_t lead = 0;
  for (const W word : words) {
    if (lead == 0) candidate = word;
    lead += word == candidate ? 1 : std::uint64_t{0} - 1;
  }
  // Without a majority the vote's outcome depends on the order in which votes are taken, and says nothing.
  const Frequent<W> voted = mark(candidate);
  return voted.others * 2 < words.size() ? voted : mark(polled.word);
}

bool encode_sparse(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const std::size_t mask_count = core::divide_up(words.size(), std::size_t{64});
    const Block mask_block = out.scratch.take(mask_count * sizeof(std::uint64_t));
    auto* const masks = reinterpret_cast<std::uint64_t*>(mask_block.data());
    const Frequent<W> common = find_common(words, masks);
    const Block block = out.scratch.take(common.others * sizeof(std::uint64_t));
    auto* const positions = reinterpret_cast<std::uint64_t*>(block.data());
    std::size_t next = 0;
    for (std::size_t i = 0; i < mask_count; ++i) {
      for (std::uint64_t mask = masks[i]; mask != 0; mask &= mask - 1)
        positions[next++] = 64 * i + static_cast<unsigned>(std::countr_zero(mask));
    }
    out.header.put_word(common.word);
    out.header.put_varint(common.others);
    put_exceptions(in, {positions, common.others}, out);
    return true;
  });
}

template <core::Word W>
class SparseSource final : public Source {
 public:
  explicit SparseSource(W common) : common_(common) {}
  bool open(Opening& opening, std::uint64_t exceptions) { return patcher_.open(opening, exceptions); }
  bool read(void* words, std::size_t count) override {
    std::fill_n(static_cast<W*>(words), count, common_);
    return patcher_.patch(static_cast<W*>(words), count);
  }
  bool skip(std::uint64_t count) override { return patcher_.skip(count); }

 private:
  W common_;
  ExceptionPatcher<W> patcher_;
};

std::unique_ptr<Source> open_sparse(Opening& opening) {
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    auto source = std::make_unique<SparseSource<W>>(opening.bytes.get_word<W>());
    const std::uint64_t exceptions = opening.bytes.get_varint();
    if (opening.bytes.failed() || exceptions > opening.count || !source->open(opening, exceptions))
      return nullptr;
    return source;
  });
}

}  // namespace

Encoding sparse_encoding() noexcept {
  return {.time = {550, 150}, .device_time = {18, 6}, .encode = encode_sparse, .open = open_sparse};
}

}  // namespace floe::trees
