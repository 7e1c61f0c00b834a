// An entropy coder that a warp can run: interleaved range variants of asymmetric numeral systems (rANS) over
// one stream of words.
#pragma once

#include <algorithm>

#include "tests/experiments/rans_table.hpp"

namespace floe::experiments {

/// Duda, "Asymmetric numeral systems", 2013; Giesen, "Interleaved entropy coders", 2014. Byte i belongs to
/// lane i mod `lanes`. Each step codes one byte per lane; the lanes that need new bits take the next 16-bit
/// words of the common stream, in the order of the lanes. Members of the group have equal shares of
/// neighbouring lanes, so the bytes do not depend on the size of the group.
///
/// Payload: length n of the input, 2 bytes; kind, 1 byte. Kind 0: the input. Kind 1: the table; the state of
/// each lane, 4 bytes; words.
template <unsigned lanes>
struct Rans {
  using Shape = CooperativeShape;
  struct Shared {
    RansTable table;
    std::size_t table_bytes;
  };

  static constexpr std::size_t bound(std::size_t n) {
    return head_bytes + RansTable::max_stored_bytes + 4 * lanes + 2 * n;
  }

  /// Precondition: in.size() < 65536, out.size() >= bound(in.size()); the size of the group divides `lanes`.
  template <Group G>
  static std::size_t encode(G group, std::span<const std::uint8_t> in, std::span<std::uint8_t> out,
                            Shared& shared) {
    count(group, in, shared.table);
    std::size_t table_bytes = 0;
    if (group.rank() == 0 && !in.empty()) {
      shared.table.normalize(static_cast<std::uint32_t>(in.size()));
      const Bytes table = shared.table.stored();
      std::copy(table.begin(), table.end(), out.begin() + head_bytes);
      shared.table_bytes = table.size();
    }
    group.sync();
    if (!in.empty()) table_bytes = shared.table_bytes;

    const std::size_t words_begin = head_bytes + table_bytes + 4 * lanes;
    const std::size_t words_bytes =
        in.empty() ? 0 : write_words(group, in, out, head_bytes + table_bytes, shared.table);
    group.sync();
    const bool is_coded = !in.empty() && words_begin + words_bytes < head_bytes + in.size();
    if (group.rank() == 0) {
      core::store(out.data(), static_cast<std::uint16_t>(in.size()));
      out[2] = is_coded ? 1 : 0;
      if (is_coded) {
        std::copy(out.end() - static_cast<std::ptrdiff_t>(words_bytes), out.end(),
                  out.begin() + static_cast<std::ptrdiff_t>(words_begin));
      } else {
        std::copy(in.begin(), in.end(), out.begin() + head_bytes);
      }
    }
    group.sync();
    return is_coded ? words_begin + words_bytes : head_bytes + in.size();
  }

  static std::optional<std::size_t> decoded_bytes(std::span<const std::uint8_t> in) {
    if (in.size() < head_bytes) return std::nullopt;
    return core::load<std::uint16_t>(in.data());
  }

  /// Precondition: out.size() is decoded_bytes(in), which is no error; the size of the group divides `lanes`.
  template <Group G>
  static bool decode(G group, std::span<const std::uint8_t> in, std::span<std::uint8_t> out, Shared& shared) {
    if (in[2] == 0) return copy(group, in.subspan(head_bytes), out);
    if (in[2] != 1) return false;
    if (group.rank() == 0) shared.table_bytes = shared.table.load(in.subspan(head_bytes));
    group.sync();
    if (shared.table_bytes == 0) return false;
    in = in.subspan(head_bytes + shared.table_bytes);
    if (in.size() < 4 * lanes || in.size() % 2 != 0) return false;
    return read_words(group, in, out, shared.table);
  }

 private:
  static constexpr std::size_t head_bytes = 3;
  static constexpr std::uint32_t smallest_state = 1u << 16;

  /// The lanes of one member of the group.
  template <Group G>
  struct Share {
    explicit Share(const G& group) : count(lanes / group.size()), first(group.rank() * count) {}
    unsigned count, first;
    std::array<std::uint32_t, lanes> state{};
  };

  template <Group G>
  static void count(const G& group, std::span<const std::uint8_t> in, RansTable& table) {
    for (unsigned s = group.rank(); s < 256; s += group.size()) {
      table.frequency[s] =
          static_cast<std::uint32_t>(std::count(in.begin(), in.end(), static_cast<std::uint8_t>(s)));
    }
    group.sync();
  }

  /// Writes words backwards from the end of `out` and the states to `states_begin`; returns the words' bytes.
  template <Group G>
  static std::size_t write_words(const G& group, std::span<const std::uint8_t> in,
                                 std::span<std::uint8_t> out, std::size_t states_begin,
                                 const RansTable& table) {
    Share<G> share(group);
    share.state.fill(smallest_state);
    std::size_t end = out.size();
    for (std::size_t step = core::divide_up(in.size(), lanes); step-- > 0;) {
      std::array<std::uint16_t, lanes> full{};
      std::uint32_t full_count = 0;
      for (unsigned l = 0; l < share.count; ++l) {
        const std::size_t i = step * lanes + share.first + l;
        if (i >= in.size()) continue;
        const std::uint64_t frequency = table.frequency[in[i]];
        std::uint32_t& state = share.state[l];
        if (state >= frequency << (32 - RansTable::scale_bits)) {
          full[full_count++] = static_cast<std::uint16_t>(state);
          state >>= 16;
        }
        const auto f = static_cast<std::uint32_t>(frequency);
        state = (state / f << RansTable::scale_bits) + state % f + table.first[in[i]];
      }
      const Scan scan = group.scan(full_count);
      end -= 2 * scan.total;
      for (std::uint32_t w = 0; w < full_count; ++w)
        core::store(out.data() + end + 2 * (scan.before + w), full[w]);
    }
    for (unsigned l = 0; l < share.count; ++l)
      core::store(out.data() + states_begin + 4 * (share.first + l), share.state[l]);
    return out.size() - end;
  }

  /// `in` holds the states, then words. Past the end of the words a decoder reads zeros, and finds it out
  /// when all are decoded.
  template <Group G>
  static bool read_words(const G& group, std::span<const std::uint8_t> in, std::span<std::uint8_t> out,
                         const RansTable& table) {
    const std::span<const std::uint8_t> words = in.subspan(4 * lanes);
    Share<G> share(group);
    for (unsigned l = 0; l < share.count; ++l)
      share.state[l] = core::load<std::uint32_t>(in.data() + 4 * (share.first + l));
    std::size_t position = 0;
    for (std::size_t step = 0; step < core::divide_up(out.size(), lanes); ++step) {
      std::array<unsigned, lanes> empty{};
      std::uint32_t empty_count = 0;
      for (unsigned l = 0; l < share.count; ++l) {
        const std::size_t i = step * lanes + share.first + l;
        if (i >= out.size()) continue;
        std::uint32_t& state = share.state[l];
        const std::uint32_t index = state % RansTable::scale;
        const std::uint8_t symbol = table.symbol_at[index];
        out[i] = symbol;
        state = table.frequency[symbol] * (state >> RansTable::scale_bits) + index - table.first[symbol];
        if (state < smallest_state) empty[empty_count++] = l;
      }
      const Scan scan = group.scan(empty_count);
      for (std::uint32_t e = 0; e < empty_count; ++e) {
        const std::size_t from = position + 2 * (scan.before + e);
        const std::uint32_t word = from < words.size() ? core::load<std::uint16_t>(words.data() + from) : 0;
        share.state[empty[e]] = share.state[empty[e]] << 16 | word;
      }
      position += 2 * scan.total;
    }
    const auto wrong = std::count_if(share.state.begin(), share.state.begin() + share.count,
                                     [](auto s) { return s != smallest_state; });
    return group.scan(static_cast<std::uint32_t>(wrong)).total == 0 && position == words.size();
  }

  template <Group G>
  static bool copy(const G& group, std::span<const std::uint8_t> from, std::span<std::uint8_t> to) {
    if (from.size() != to.size()) return false;
    for (std::size_t i = group.rank(); i < to.size(); i += group.size()) to[i] = from[i];
    group.sync();
    return true;
  }
};

}  // namespace floe::experiments
