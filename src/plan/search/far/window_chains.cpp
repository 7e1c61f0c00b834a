#include "plan/search/far/window_chains.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "core/bits.hpp"
#include "encodings/encodings.hpp"
#include "encodings/word_order.hpp"
#include "plan/search/search.hpp"

namespace floe::trees {
namespace {

/// Of every second window, that differences are compared on by their bits.
constexpr std::uint64_t compared_words = 128;
/// With more digits, any floats may be decimals.
constexpr std::uint32_t few_digits = 5;
/// Strides up to this one may stand below a far one.
constexpr std::uint32_t max_short_stride = 4;

/// Of a word in a segment of words so wide: a row that was written is read and written once more.
constexpr EncodingTime time_of_far(std::size_t word_bytes) {
  const auto width = static_cast<std::uint32_t>(word_bytes);
  return {width * 3 / 4, width};
}

const std::vector<PlanNode> of_neighbours = {{EncodingId::delta, {1, 1}}};

/// The integers of some words; nothing if not all have some.
std::optional<Stream> integers_of(const std::vector<PlanNode>& map, const ColumnView& words,
                                  Scratch& scratch) {
  if (!map.empty() && map[0].encoding == EncodingId::decimal) {
    std::vector<Stream> children;
    ByteWriter header;
    Encoded encoded{header, children, scratch};
    if (!encoding_of(EncodingId::decimal).encode(words, map[0].parameters, encoded) ||
        children[1].view().count > 0)
      return std::nullopt;
    return std::move(children[0]);
  }
  Stream integers(signed_type(size_of(words.type)), words.count, scratch);
  with_word(size_of(words.type), [&]<class W>(W) {
    const auto from = words.words<W>();
    std::transform(from.begin(), from.end(), integers.words<W>().begin(),
                   [order = order_of(words.type)](W word) { return in_order(word, order); });
  });
  return integers;
}

ColumnView middle_words(const ColumnView& window, std::uint64_t words) {
  const std::uint64_t first = (window.count - words) / 2;
  return {window.type, static_cast<const std::uint8_t*>(window.values) + first * size_of(window.type), words};
}

/// Less one row before, or two.
template <core::Word W>
void subtract_rows(std::span<W> words, std::span<const W> once, std::span<const W> twice) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<W>(words[i] - once[i]);
    if (!twice.empty()) words[i] = static_cast<W>(words[i] - static_cast<W>(once[i] - twice[i]));
  }
}

/// Bits of the distances from a word; of differences of neighbours, once or twice, of these.
template <core::Word W>
std::array<std::uint64_t, 3> bits_of(std::span<const W> words, std::uint32_t stride) {
  const auto bits = [](W word) { return static_cast<std::uint64_t>(std::bit_width(core::zigzag(word))); };
  std::array<std::uint64_t, 3> sums{};
  const W middle = words[words.size() / 2];
  for (std::size_t i = 2 * max_short_stride; i < words.size(); ++i) {
    const W difference = static_cast<W>(words[i] - words[i - stride]),
            before = static_cast<W>(words[i - stride] - words[i - 2 * stride]);
    sums[0] += bits(static_cast<W>(words[i] - middle));
    sums[1] += bits(difference);
    sums[2] += bits(static_cast<W>(difference - before));
  }
  return sums;
}

/// Whether devices take such differences before they pack a leaf: the words in a header are few. Those of
/// short strides other searches find.
bool is_taken(std::uint32_t stride, unsigned order) {
  if (stride > DeltaRules::max_near_stride) return true;
  return order == 1 ? stride > max_short_stride : 2 * stride <= DeltaRules::max_near_stride;
}

class FarChains {
 public:
  FarChains(const SegmentWindows& segment, const Objective& objective, SearchThreads& threads,
            Scratch& scratch)
      : segment_(segment),
        objective_(objective),
        threads_(threads),
        scratch_(scratch),
        windows_(windows_of(segment, far_window_words)) {}

  [[nodiscard]] bool are_there() const {
    return !segment_.strides.get().empty() && has_before(segment_.strides.get()[0]) &&
           size_of(segment_.type) > 1;
  }

  std::optional<CostlyChain> best(const Plan& other) {
    std::vector<FarChain> chains;
    for (const std::vector<PlanNode>& map : maps(other)) add_promising_chains(map, chains);
    const std::vector<Costs> costs = costs_of(chains);
    const auto least = std::min_element(costs.begin(), costs.end(),
                                        [](const Costs& a, const Costs& b) { return a.joined < b.joined; });
    if (least == costs.end() || least->joined >= unlimited_cost) return std::nullopt;
    return CostlyChain{chains[static_cast<std::size_t>(least - costs.begin())], least->mean()};
  }

  std::uint64_t cost_of(const FarChain& chain) { return costs_of(std::span(&chain, 1))[0].mean(); }

 private:
  [[nodiscard]] bool has_before(std::uint32_t stride) const {
    return SegmentWindows::has_before(segment_.count, stride);
  }

  /// What words may be as integers: decimals where the tree without far differences has found some.
  [[nodiscard]] std::vector<std::vector<PlanNode>> maps(const Plan& other) const {
    if (!is_float(segment_.type)) return {{}};
    std::vector<std::vector<PlanNode>> maps;
    if (const PlanNode& root = other.nodes[0]; root.encoding == EncodingId::decimal) {
      maps.push_back({root});
      if (root.parameters[0] <= few_digits) return maps;
    }
    maps.push_back({{EncodingId::sortable, {}}});
    return maps;
  }

  /// Bits of some words with differences of each kind: [0] without a far stride, else [1 + 2 * stride +
  /// order - 1]; of each with differences of neighbours up to twice, and [3] of a short stride.
  using Bits = std::array<std::array<std::uint64_t, 4>, 1 + 2 * max_window_strides>;

  /// Nothing if some word has no integer.
  std::optional<Bits> bits_of_window(const std::vector<PlanNode>& map, std::size_t window,
                                     Scratch& scratch) const {
    const auto strides = segment_.strides.get();
    const auto integers = [&](const ColumnView& words) {
      return integers_of(map, middle_words(words, compared_words), scratch);
    };
    const auto own = integers(windows_[window]);
    if (!own) return std::nullopt;
    Bits bits;
    for (auto& of : bits) of.fill(unlimited_cost);
    const std::uint32_t short_stride = strides[0] <= max_short_stride ? strides[0] : 0;
    bool good = true;
    with_word(size_of(own->view().type), [&]<class W>(W) {
      const auto look_at = [&](std::span<const W> words, std::array<std::uint64_t, 4>& to) {
        const auto near = bits_of<W>(words, 1);
        std::copy(near.begin(), near.end(), to.begin());
        if (short_stride > 0) to[3] = bits_of<W>(words, short_stride)[1];
      };
      look_at(own->view().words<W>(), bits[0]);
      for (std::size_t k = 0; k < strides.size() && has_before(strides[k]) && good; ++k) {
        const auto once = integers(segment_.words_before(k, 1, window)),
                   twice = integers(segment_.words_before(k, 2, window));
        good = once && twice;
        for (unsigned order = 1; order <= 2 && good; ++order) {
          std::vector<W> words(own->view().words<W>().begin(), own->view().words<W>().end());
          subtract_rows<W>(words, once->view().words<W>(),
                           order > 1 ? twice->view().words<W>() : std::span<const W>());
          look_at(words, bits[2 * k + order]);
        }
      }
    });
    return good ? std::optional(bits) : std::nullopt;
  }

  /// Adds the differences that leave the fewest bits of every second window, with all that may stand below
  /// them; none if those of neighbours leave hardly more.
  void add_promising_chains(const std::vector<PlanNode>& map, std::vector<FarChain>& chains) {
    const auto strides = segment_.strides.get();
    std::vector<std::optional<Bits>> of_window((windows_.size() + 1) / 2);
    threads_.run(of_window.size(), scratch_, [&](std::size_t i, Scratch& scratch) {
      of_window[i] = bits_of_window(map, 2 * i, scratch);
    });
    Bits sums{};
    for (const auto& bits : of_window) {
      if (!bits) return;
      for (std::size_t i = 0; i < sums.size(); ++i)
        for (std::size_t k = 0; k < sums[i].size(); ++k)
          sums[i][k] = std::min(unlimited_cost, sums[i][k] + (*bits)[i][k]);
    }
    // The first of those in memory have nothing before them.
    const std::uint64_t together = segment_.planned_count();
    const auto bits_with_first = [&](std::size_t kind, std::size_t near) {
      if (kind == 0 || sums[kind][near] >= unlimited_cost) return sums[kind][near];
      const std::uint64_t rows = std::min(together,
                                          std::uint64_t{strides[(kind - 1) / 2]} * (1 + (kind - 1) % 2)),
                          more = std::max(sums[0][near], sums[kind][near]) - sums[kind][near];
      return sums[kind][near] + more * rows / together;
    };
    std::uint64_t min_near = unlimited_cost, min_far = unlimited_cost;
    std::size_t best_kind = 0;
    for (std::size_t kind = 0; kind < sums.size(); ++kind) {
      const std::uint32_t stride = kind == 0                         ? 0
                                   : strides.size() > (kind - 1) / 2 ? strides[(kind - 1) / 2]
                                                                     : 0;
      if (kind > 0 && (stride == 0 || !is_taken(stride, 1 + static_cast<unsigned>((kind - 1) % 2)))) continue;
      for (std::size_t near = 0; near < sums[kind].size(); ++near) {
        if (near == 3 && stride <= max_short_stride) continue;
        if (near == 2 && kind > 0) continue;  // seldom better
        const std::uint64_t bits = bits_with_first(kind, near);
        std::uint64_t& min = kind == 0 ? min_near : min_far;
        if (bits >= min) continue;
        min = bits;
        if (kind > 0) best_kind = kind;
      }
    }
    const std::uint64_t words = of_window.size() * compared_words,
                        margin = time_cost(objective_, time_of_far(size_of(segment_.type)), words) /
                                 cost_of_bit / 2;
    if (best_kind == 0 || min_far + margin >= min_near) return;
    const std::uint32_t order = 1 + static_cast<std::uint32_t>((best_kind - 1) % 2),
                        stride = strides[(best_kind - 1) / 2];
    std::vector<std::vector<PlanNode>> below = {{}, of_neighbours};
    if (strides[0] <= max_short_stride && strides[0] < stride)
      below.push_back({{EncodingId::delta, {1, strides[0]}}});
    for (std::vector<PlanNode>& near : below)
      chains.push_back({map, {EncodingId::delta, {order, stride}}, std::move(near)});
  }

  /// Of windows one by one, which are short for many different words, and of all together, which are
  /// different: for the whole stream, as often as there are windows.
  struct Costs {
    std::uint64_t single = unlimited_cost, joined = unlimited_cost;
    [[nodiscard]] std::uint64_t mean() const { return (single + joined) / 2; }
  };

  /// The differences of a chain in a window, and what stands in their place in the first rows.
  struct Looked {
    std::optional<Stream> words, first;
    std::uint64_t cost = 0, cost_of_first = 0;
  };

  std::vector<Costs> costs_of(std::span<const FarChain> chains) {
    const std::size_t windows = windows_.size();
    std::vector<Looked> looked(chains.size() * windows);
    threads_.run(looked.size(), scratch_, [&](std::size_t i, Scratch& scratch) {
      looked[i] = look_at(chains[i / windows], i % windows, scratch);
    });
    std::vector<Costs> costs(chains.size());
    threads_.run(chains.size(), scratch_, [&](std::size_t i, Scratch& scratch) {
      costs[i] = costs_of(chains[i], std::span(looked).subspan(i * windows, windows), scratch);
    });
    return costs;
  }

  std::uint64_t cost_of_leaf(const ColumnView& words, Scratch& scratch) const {
    return estimate_tree({{EncodingId::entropy, {}}}, words, segment_.planned_count(), objective_, scratch);
  }
  Looked look_at(const FarChain& chain, std::size_t window, Scratch& scratch) const {
    const auto strides = segment_.strides.get();
    const auto found = std::find(strides.begin(), strides.end(), chain.far.parameters[1]);
    if (found == strides.end() || !has_before(*found)) return {};
    Looked looked;
    looked.words = differences(chain, static_cast<std::size_t>(found - strides.begin()), window, scratch);
    looked.first = integers_of(chain.map, windows_[window], scratch);
    if (!looked.words || !looked.first) return {};
    looked.first = below(chain, std::move(*looked.first), scratch);
    looked.cost = cost_of_leaf(looked.words->view(), scratch);
    looked.cost_of_first = std::max(looked.cost, cost_of_leaf(looked.first->view(), scratch));
    return looked;
  }

  Costs costs_of(const FarChain& chain, std::span<const Looked> looked, Scratch& scratch) const {
    if (std::any_of(looked.begin(), looked.end(), [](const Looked& at) { return !at.words; })) return {};
    Costs sum{0, 0};
    std::uint64_t of_first = 0;
    JoinedWindows joined(looked[0].words->view().type, looked.size() * far_window_words, scratch);
    for (const Looked& at : looked) {
      sum.single += at.cost;
      of_first += at.cost_of_first;
      joined.add(at.words->view());
    }
    sum.joined = looked.size() * cost_of_leaf(joined.view(), scratch);
    // The first rows in memory have nothing before them; and what all of that takes.
    const std::uint64_t count = segment_.planned_count(),
                        rows =
                            std::min(count, std::uint64_t{chain.far.parameters[0]} * chain.far.parameters[1]);
    std::uint64_t more = (of_first - sum.single) / 256 * (rows * 256 / count);
    const auto add_time = [&](EncodingTime time) {
      more += looked.size() * time_cost(objective_, time, count);
    };
    add_time(time_of_far(size_of(segment_.type)));
    for (const PlanNode& node : chain.near) add_time(time_of(objective_, encoding_of(node.encoding)));
    for (const PlanNode& node : chain.map) add_time(time_of(objective_, encoding_of(node.encoding)));
    return {sum.single + more, sum.joined + more};
  }

  /// What the leaf of a chain has.
  static Stream below(const FarChain& chain, Stream words, Scratch& scratch) {
    if (chain.near.empty()) return words;
    std::vector<Stream> children;
    ByteWriter header;
    Encoded encoded{header, children, scratch};
    (void)encoding_of(EncodingId::delta).encode(words.view(), chain.near[0].parameters, encoded);
    return std::move(children[0]);
  }
  std::optional<Stream> differences(const FarChain& chain, std::size_t stride, std::size_t window,
                                    Scratch& scratch) const {
    auto own = integers_of(chain.map, windows_[window], scratch);
    const auto once = integers_of(chain.map, segment_.words_before(stride, 1, window), scratch);
    const bool is_twice = chain.far.parameters[0] > 1;
    const auto twice =
        is_twice ? integers_of(chain.map, segment_.words_before(stride, 2, window), scratch) : std::nullopt;
    if (!own || !once || (is_twice && !twice)) return std::nullopt;
    with_word(size_of(own->view().type), [&]<class W>(W) {
      subtract_rows<W>(own->words<W>(), once->view().words<W>(),
                       twice ? twice->view().words<W>() : std::span<const W>());
    });
    return below(chain, std::move(*own), scratch);
  }

  const SegmentWindows& segment_;
  const Objective& objective_;
  SearchThreads& threads_;
  Scratch& scratch_;
  const std::vector<ColumnView> windows_;
};

}  // namespace

Plan FarChain::plan() const {
  Plan plan{map};
  plan.nodes.push_back(far);
  plan.nodes.insert(plan.nodes.end(), near.begin(), near.end());
  plan.nodes.push_back({EncodingId::entropy, {}});
  if (!map.empty() && map[0].encoding == EncodingId::decimal) {
    plan.nodes.push_back({EncodingId::bitpack, {}});
    plan.nodes.push_back({EncodingId::raw, {}});
  }
  return plan;
}

std::optional<FarChain> far_chain_of(const Plan& plan, const FarStrides& strides) {
  const auto& nodes = plan.nodes;
  const auto all = strides.get();
  FarChain chain;
  std::size_t at = 0;
  if (nodes[0].encoding == EncodingId::decimal || nodes[0].encoding == EncodingId::sortable)
    chain.map.push_back(nodes[at++]);
  const auto is_delta = [&] { return at < nodes.size() && nodes[at].encoding == EncodingId::delta; };
  if (!is_delta() || std::find(all.begin(), all.end(), nodes[at].parameters[1]) == all.end())
    return std::nullopt;
  chain.far = nodes[at++];
  if (!is_taken(chain.far.parameters[1], chain.far.parameters[0])) return std::nullopt;
  if (is_delta()) chain.near.push_back(nodes[at++]);
  return chain.plan() == plan ? std::optional(chain) : std::nullopt;
}

std::optional<CostlyChain> best_far_chain(const SegmentWindows& segment, const Plan& other,
                                          const Objective& objective, SearchThreads& threads,
                                          Scratch& scratch) {
  const EncodingId root = other.nodes[0].encoding;
  FarChains chains(segment, objective, threads, scratch);
  if (!chains.are_there() || root == EncodingId::dict || root == EncodingId::rle) return std::nullopt;
  return chains.best(other);
}

std::uint64_t cost_of_far_chain(const FarChain& chain, const SegmentWindows& segment,
                                const Objective& objective, SearchThreads& threads, Scratch& scratch) {
  FarChains chains(segment, objective, threads, scratch);
  return chains.are_there() ? chains.cost_of(chain) : unlimited_cost;
}

}  // namespace floe::trees
