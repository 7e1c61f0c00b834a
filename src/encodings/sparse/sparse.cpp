// Freq: the most frequent word, and the others as exceptions.
#include <algorithm>
#include <vector>

#include "core/bits.hpp"
#include "encodings/encodings.hpp"
#include "encodings/exceptions.hpp"

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
  std::ptrdiff_t most = 0;
  for (auto begin = some.begin(); begin != some.end();) {
    const auto end = std::upper_bound(begin, some.end(), *begin);
    if (end - begin > most) {
      most = end - begin;
      candidate = *begin;
    }
    begin = end;
  }
  return candidate;
}

/// A word, and how often it occurs.
template <core::Word W>
struct Frequent {
  W word;
  std::size_t count;
};

template <core::Word W>
Frequent<W> counted(std::span<const W> words, W word) {
  std::size_t count = 0;
  for (const W other : words) count += other == word ? 1 : 0;
  return {word, count};
}

/// The word that more than half are equal to, if there is one (where a poll does not find it, Boyer and
/// Moore's vote does, "MJRTY", 1981); otherwise the one that the poll finds.
template <core::Word W>
Frequent<W> find_common(std::span<const W> words) {
  const Frequent<W> polled = counted(words, poll(words));
  if (polled.count * 2 >= words.size()) return polled;  // no other word has more than half
  W candidate = words[0];
  std::uint64_t lead = 0;
  for (const W word : words) {
    if (lead == 0) candidate = word;
    lead += word == candidate ? 1 : std::uint64_t{0} - 1;
  }
  // Without a majority the vote's outcome depends on the order in which votes are taken, and says nothing.
  const Frequent<W> voted = counted(words, candidate);
  return voted.count * 2 > words.size() ? voted : polled;
}

bool encode(const ColumnView& in, const Parameters&, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const Frequent<W> common = find_common(words);
    const std::size_t exceptions = words.size() - common.count;
    const Block block = out.scratch.take(
        (exceptions + 1) * sizeof(std::uint64_t));  // the place behind the last one is written, too
    auto* const positions = reinterpret_cast<std::uint64_t*>(block.data());
    std::size_t next = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      positions[next] = i;
      next += words[i] != common.word ? 1 : 0;
    }
    out.header.put_word(common.word);
    out.header.put_varint(exceptions);
    put_exceptions<W>(in, {positions, exceptions}, out);
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

std::unique_ptr<Source> open(Opening& opening) {
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
  return {.time = {550, 150}, .device_time = {18, 6}, .encode = encode, .open = open};
}

}  // namespace floe::trees
