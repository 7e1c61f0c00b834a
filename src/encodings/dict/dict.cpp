// Dict: words become codes, which are positions in a dictionary. Where there are too many different words,
// the rarer ones are exceptions.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "core/bits.hpp"
#include "encodings/dictionary.hpp"
#include "encodings/encodings.hpp"
#include "encodings/word_order.hpp"

namespace floe::trees {
namespace {

/// Whether words get codes by how often they occur, or some get none.
bool needs_counts(std::size_t distinct, const Parameters& parameters) {
  return parameters[0] != DictRules::by_value || distinct > parameters[1];
}

/// The positions of the `kept` most frequent words, ascending; of those that are as frequent, the first ones.
std::vector<std::uint32_t> most_frequent(std::span<const std::uint32_t> counts, std::size_t kept,
                                         std::size_t words) {
  // So many words cannot all be more frequent than this.
  const auto max_count = static_cast<std::uint32_t>(words / kept + 1);
  std::vector<std::size_t> with_count(std::size_t{max_count} + 1);
  for (const std::uint32_t count : counts) ++with_count[std::min(count, max_count)];
  std::uint32_t min_count = max_count;
  std::size_t room = kept;  // for words that occur as often as the rarest ones
  for (; with_count[min_count] < room; --min_count) room -= with_count[min_count];
  std::vector<std::uint32_t> positions;
  positions.reserve(kept);
  for (std::size_t position = 0; position < counts.size(); ++position) {
    if (counts[position] < min_count || (counts[position] == min_count && room == 0)) continue;
    room -= counts[position] == min_count ? 1 : 0;
    positions.push_back(static_cast<std::uint32_t>(position));
  }
  return positions;
}

/// The positions of the entries, in the order of their codes. `positions` has room for those of all words.
template <core::Word W>
std::span<std::uint32_t> choose_entries(std::span<const W> distinct, std::span<const std::uint32_t> counts,
                                        const Parameters& parameters, W flip, std::size_t words,
                                        std::span<std::uint32_t> positions) {
  const std::size_t kept = std::min<std::size_t>(distinct.size(), parameters[1]);
  const auto value_of = [&](std::uint32_t position) { return static_cast<W>(distinct[position] ^ flip); };
  const bool is_by_value = parameters[0] == DictRules::by_value;
  if (is_by_value && kept < distinct.size()) {
    const std::vector<std::uint32_t> frequent = most_frequent(counts, kept, words);
    std::copy(frequent.begin(), frequent.end(), positions.begin());
    positions = positions.first(kept);
  } else {
    std::iota(positions.begin(), positions.end(), 0U);
  }
  if (parameters[0] != DictRules::by_frequency) sort_positions<W>(positions, value_of);
  if (!is_by_value)
    sort_positions<std::uint32_t>(positions, [&](std::uint32_t position) { return ~counts[position]; });
  return positions.first(kept);
}

bool encode_dict(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const Block block = out.scratch.take(words.size() * sizeof(std::uint32_t));
    const std::span position_of(reinterpret_cast<std::uint32_t*>(block.data()), words.size());
    DistinctWords<W> found(DictRules::max_distinct_words, out.scratch);
    if (!found.find(words, position_of.data())) return false;
    const std::span<const W> distinct = found.values();
    const std::vector<std::uint32_t> counts = needs_counts(distinct.size(), parameters)
                                                  ? count_positions(position_of, distinct.size())
                                                  : std::vector<std::uint32_t>{};
    const Block entry_block = out.scratch.take(distinct.size() * sizeof(std::uint32_t));
    const std::span entries =
        choose_entries(distinct, std::span(counts), parameters, sign_flip<W>(in.type), words.size(),
                       std::span(reinterpret_cast<std::uint32_t*>(entry_block.data()), distinct.size()));

    Stream dictionary(in.type, entries.size(), out.scratch);
    const Block code_block = out.scratch.take(distinct.size() * sizeof(std::uint16_t));
    const std::span code_of(reinterpret_cast<std::uint16_t*>(code_block.data()), distinct.size());
    std::fill(code_of.begin(), code_of.end(), static_cast<std::uint16_t>(entries.size()));
    for (std::size_t code = 0; code < entries.size(); ++code) {
      dictionary.words<W>()[code] = distinct[entries[code]];
      code_of[entries[code]] = static_cast<std::uint16_t>(code);
    }
    std::uint64_t exception_count = 0;
    if (entries.size() < distinct.size()) {
      exception_count = words.size();
      for (const std::uint32_t entry : entries) exception_count -= counts[entry];
    }
    Stream codes(DType::u16, words.size(), out.scratch), exceptions(in.type, exception_count, out.scratch);
    std::uint16_t* const to = codes.words<std::uint16_t>().data();
    for (std::size_t i = 0; i < words.size(); ++i) to[i] = code_of[position_of[i]];
    if (exception_count > 0) {
      // Which words are exceptions cannot be foreseen: each is written, and some are kept.
      static_assert(Block::slack_bytes >= sizeof(W));
      W* next = exceptions.words<W>().data();
      for (std::size_t i = 0; i < words.size(); ++i) {
        *next = words[i];
        next += to[i] == entries.size() ? 1 : 0;
      }
    }
    out.header.put_varint(entries.size());
    out.header.put_varint(exception_count);
    out.children.push_back(std::move(dictionary));
    out.children.push_back(std::move(codes));
    out.children.push_back(std::move(exceptions));
    return true;
  });
}

template <core::Word W>
class DictSource final : public Source {
 public:
  DictSource(std::vector<W> dictionary, std::unique_ptr<Source> codes, std::unique_ptr<Source> exceptions,
             std::uint64_t exception_count)
      : dictionary_(std::move(dictionary)),
        escape_(static_cast<std::uint16_t>(dictionary_.size())),
        codes_(std::move(codes)),
        exceptions_(std::move(exceptions)),
        exceptions_left_(exception_count) {
    dictionary_.push_back(0);  // so that exceptions can be looked up, too
  }

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      const std::size_t part = std::min(count, piece);
      const std::uint64_t end = escape_ + std::uint64_t{exceptions_left_ > 0 ? 1U : 0U};
      if (!codes_->read(codes_read_.data(), part) ||
          !look_up(dictionary_.data(), end, codes_read_.data(), part, out) ||
          (exceptions_left_ > 0 && !put_exceptions(out, part)))
        return false;
      out += part;
      count -= part;
    }
    return true;
  }
  bool skip(std::uint64_t count) override {
    if (exceptions_left_ == 0) return codes_->skip(count);
    for (std::size_t part = 0; count > 0; count -= part) {
      part = static_cast<std::size_t>(std::min<std::uint64_t>(count, piece));
      if (!codes_->read(codes_read_.data(), part)) return false;
      const auto escapes = static_cast<std::uint64_t>(
          std::count(codes_read_.begin(), codes_read_.begin() + static_cast<std::ptrdiff_t>(part), escape_));
      if (escapes > exceptions_left_ || !exceptions_->skip(escapes)) return false;
      exceptions_left_ -= escapes;
    }
    return true;
  }
  [[nodiscard]] std::size_t words_before_blocks() const override { return codes_->words_before_blocks(); }

 private:
  static constexpr std::size_t piece = piece_words;
  /// Puts the next exceptions where the codes say so.
  bool put_exceptions(W* out, std::size_t count) {
    std::size_t escapes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      positions_[escapes] = static_cast<std::uint16_t>(i);
      escapes += codes_read_[i] == escape_ ? 1 : 0;
    }
    if (escapes > exceptions_left_ || !exceptions_->read(exceptions_read_.data(), escapes)) return false;
    exceptions_left_ -= escapes;
    for (std::size_t i = 0; i < escapes; ++i) out[positions_[i]] = exceptions_read_[i];
    return true;
  }

  std::vector<W> dictionary_;
  std::uint16_t escape_;
  std::unique_ptr<Source> codes_, exceptions_;
  std::uint64_t exceptions_left_;
  alignas(64) std::array<std::uint16_t, piece> codes_read_, positions_;
  alignas(64) std::array<W, piece> exceptions_read_;
};

std::unique_ptr<Source> open_dict(Opening& opening) {
  const std::uint64_t entry_count = opening.bytes.get_varint(), exception_count = opening.bytes.get_varint();
  if (opening.bytes.failed() || entry_count == 0 ||
      entry_count > std::min<std::uint64_t>(opening.parameters[1], opening.count) ||
      exception_count > opening.count) {
    return nullptr;
  }
  auto entries = opening.open_child(entry_count);
  if (entries == nullptr) return nullptr;
  auto codes = opening.open_child(opening.count);
  if (codes == nullptr) return nullptr;
  auto exceptions = opening.open_child(exception_count);
  if (exceptions == nullptr) return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    std::vector<W> dictionary = read_entries<W>(*entries, entry_count);
    if (dictionary.empty()) return nullptr;
    return std::make_unique<DictSource<W>>(std::move(dictionary), std::move(codes), std::move(exceptions),
                                           exception_count);
  });
}

}  // namespace

Encoding dict_encoding() noexcept {
  return {.time = {1900, 250}, .device_time = {30, 2}, .encode = encode_dict, .open = open_dict};
}

}  // namespace floe::trees
