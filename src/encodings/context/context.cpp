// Context: words stand in the order of how large their neighbours in the row before are. Where differences
// are large in some regions and small in others, those that need as many bits come together, and so do their
// tables.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/memory_budget.hpp"
#include "encodings/context/magnitudes.hpp"
#include "encodings/encodings.hpp"
#include "encodings/word_order.hpp"

namespace floe::trees {
namespace {

using Counts = std::array<std::uint64_t, max_contexts>;

/// Magnitudes of all words of a stream, behind zeros for the words before them.
class Neighbours {
 public:
  Neighbours(const Parameters& parameters, std::uint64_t count)
      : row_(parameters[0]), step_(parameters[1]), magnitudes_(bytes(parameters, count)) {}
  static std::size_t bytes(const Parameters& parameters, std::uint64_t count) {
    return static_cast<std::size_t>(parameters[0] + parameters[1] + count);
  }
  /// Where that of a word belongs.
  std::uint8_t* at(std::size_t word) { return magnitudes_.data() + row_ + step_ + word; }
  /// So many words, no more than known_together(), whose neighbours have magnitudes.
  void contexts_of(std::size_t first, std::size_t count, std::uint8_t* to) {
    const std::uint8_t *const above = at(first) - row_, *const left = above - step_,
                              *const right = above + step_;
    for (std::size_t i = 0; i < count; ++i)
      to[i] = static_cast<std::uint8_t>((2U * above[i] + left[i] + right[i]) / 4);
  }
  /// Words whose neighbours come before the first one of them.
  [[nodiscard]] std::size_t known_together() const { return row_ - step_; }

 private:
  std::size_t row_, step_;
  std::vector<std::uint8_t> magnitudes_;
};

/// The number of words of each context, without those that are 0 before the first and behind the last one.
void put_counts(const Counts& counts, core::ByteWriter& header) {
  const auto is_used = [](std::uint64_t count) { return count != 0; };
  const auto first = std::ranges::find_if(counts, is_used);
  const auto end = std::find_if(counts.rbegin(), counts.rend(), is_used).base();
  header.put_varint(first < end ? static_cast<std::uint64_t>(first - counts.begin()) : 0);
  header.put_varint(first < end ? static_cast<std::uint64_t>(end - first) : 0);
  for (auto at = first; at < end; ++at) header.put_varint(*at);
}

/// False if they are not of so many words.
bool read_counts(core::ByteReader& bytes, std::uint64_t words, Counts& counts) {
  const std::uint64_t first = bytes.get_varint(), used = bytes.get_varint();
  if (bytes.failed() || first > max_contexts || used > max_contexts - first) return false;
  std::uint64_t left = words;
  for (std::size_t i = 0; i < used; ++i) {
    const std::uint64_t count = bytes.get_varint();
    if (bytes.failed() || count > left) return false;
    left -= counts[static_cast<std::size_t>(first) + i] = count;
  }
  return left == 0;
}

/// Where the words of each context begin.
Counts begins_of(const Counts& counts) {
  Counts begins{};
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), std::uint64_t{0});
  return begins;
}

bool encode_context(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const W sign = sign_flip<W>(in.type);
    Neighbours neighbours(parameters, words.size());
    find_magnitudes(words.data(), words.size(), sign, neighbours.at(0));
    std::vector<std::uint8_t> contexts(words.size());
    neighbours.contexts_of(0, words.size(), contexts.data());
    Counts counts{};
    for (const std::uint8_t context : contexts) ++counts[context];
    put_counts(counts, out.header);
    Counts next = begins_of(counts);
    Stream sorted(in.type, words.size(), out.scratch);
    W* const to = sorted.words<W>().data();
    for (std::size_t i = 0; i < words.size(); ++i) to[next[contexts[i]]++] = words[i];
    out.children.push_back(std::move(sorted));
    return true;
  });
}

/// Has all words in memory, as those that come next may be anywhere.
template <core::Word W>
class ContextSource final : public Source {
 public:
  ContextSource(const Opening& opening, const Counts& counts, std::unique_ptr<Source> sorted)
      : sign_(sign_flip<W>(opening.type)),
        next_(begins_of(counts)),
        ends_(next_),
        neighbours_(opening.parameters, opening.count),
        count_(static_cast<std::size_t>(opening.count)),
        words_(count_ + piece_words),
        sorted_(std::move(sorted)) {
    for (std::size_t i = 0; i < max_contexts; ++i) ends_[i] += counts[i];
  }
  static std::uint64_t bytes(const Parameters& parameters, std::uint64_t count) {
    return (count + piece_words) * sizeof(W) + Neighbours::bytes(parameters, count);
  }

  bool read(void* words, std::size_t count) override {
    if (sorted_ != nullptr && !read_all()) return false;
    W* out = static_cast<W*>(words);
    while (count > 0) {
      const std::size_t part = std::min(count, piece_words);
      for (std::size_t taken = 0, together; taken < part; taken += together) {
        together = std::min(part - taken, neighbours_.known_together());
        take(out + taken, together);
      }
      if (!std::ranges::equal(next_, ends_, std::less_equal{})) return false;
      out += part;
      count -= part;
    }
    return true;
  }

 private:
  bool read_all() {
    for (std::size_t i = 0; i < count_; i += piece_words) {
      if (!sorted_->read(words_.data() + i, std::min(piece_words, count_ - i))) return false;
    }
    sorted_.reset();
    return true;
  }
  /// What reaches beyond the words of its context is still in memory, and found out behind the piece.
  void take(W* const out, const std::size_t count) {
    neighbours_.contexts_of(at_, count, contexts_.data());
    const std::uint8_t* const contexts = contexts_.data();
    const W* const words = words_.data();
    std::uint64_t* const next = next_.data();
    std::size_t i = 0;
    // Where contexts of words in a row are the same, each would wait for the one before to be counted.
    for (; i + 4 <= count; i += 4) {
      const std::uint8_t a = contexts[i], b = contexts[i + 1], c = contexts[i + 2], d = contexts[i + 3];
      const std::uint64_t at_a = next[a], at_b = next[b] + (b == a), at_c = next[c] + (c == a) + (c == b),
                          at_d = next[d] + (d == a) + (d == b) + (d == c);
      next[a] = at_a + 1;
      next[b] = at_b + 1;
      next[c] = at_c + 1;
      next[d] = at_d + 1;
      out[i] = words[at_a];
      out[i + 1] = words[at_b];
      out[i + 2] = words[at_c];
      out[i + 3] = words[at_d];
    }
    for (; i < count; ++i) out[i] = words[next[contexts[i]]++];
    find_magnitudes(out, count, sign_, neighbours_.at(at_));
    at_ += count;
  }

  const W sign_;
  Counts next_, ends_;
  Neighbours neighbours_;
  const std::size_t count_;
  std::vector<W> words_;            ///< And room for those that a piece may ask for too many.
  std::unique_ptr<Source> sorted_;  ///< Until they are in `words_`.
  std::size_t at_ = 0;
  std::array<std::uint8_t, piece_words> contexts_;
};

std::unique_ptr<Source> open_context(Opening& opening) {
  Counts counts{};
  if (!read_counts(opening.bytes, opening.count, counts)) return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    core::MemoryBudget::take(ContextSource<W>::bytes(opening.parameters, opening.count));
    auto sorted = opening.open_child(opening.count);
    if (sorted == nullptr) return nullptr;
    return std::make_unique<ContextSource<W>>(opening, counts, std::move(sorted));
  });
}

}  // namespace

Encoding context_encoding() noexcept {
  return {.time = {6000, 4000}, .device_time = {8, 8}, .encode = encode_context, .open = open_context};
}

}  // namespace floe::trees
