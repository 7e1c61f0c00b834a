#include "plan/search/far/steps.hpp"

#include <algorithm>

#include "plan/search/entropy_estimate.hpp"
#include "plan/search/far/sampler.hpp"

namespace floe::trees {
namespace {

/// Windows that steps are found with, and with which the best ones are compared.
constexpr std::size_t sampled_windows = 16, sampled_words = 32, compared_windows = 16, compared_words = 64;
constexpr std::size_t max_steps = 4, max_compared = 5;
/// A step must save one part in so many of the bits, and all of them another one; steps are compared whose
/// bits are no more than a part above the fewest.
constexpr std::uint64_t saved_part = 64, compared_part = 8, min_gain_part = 256;

/// Steps, ascending, and the bits that they leave of the words of a sample.
struct Seen {
  Steps steps;
  std::uint64_t bits = 0;
  std::uint64_t first_bits = 0;  ///< What the first words need more.
  [[nodiscard]] std::uint64_t all_bits() const { return bits + first_bits; }
  [[nodiscard]] bool is_far() const { return !steps.empty() && steps.back() > 1; }
};
bool has_fewer_bits(const Seen& a, const Seen& b) { return a.all_bits() < b.all_bits(); }
bool costs_less(const StepChoice& a, const StepChoice& b) { return a.cost < b.cost; }

template <core::Word W>
class StepSearch {
 public:
  StepSearch(const Integers& integers, std::uint64_t count, std::span<const std::uint32_t> strides)
      : integers_(integers), count_(count), candidates_{1} {
    for (const std::uint32_t stride : strides) {
      if (stride <= count / 2) candidates_.push_back(stride);
    }
  }

  /// One step after the other, each time the one that leaves the fewest bits, as long as it pays. All that
  /// were seen on the way, the best first.
  std::vector<Seen> find() {
    const std::uint64_t reach = std::min(2 * reach_of(candidates_), count_ / 2);
    FarSampler<W> sampler(integers_, count_, reach, sampled_windows, sampled_words);
    std::vector<W> known(static_cast<std::size_t>(sampler.words())), tried(known.size());
    sampler.differences({}, known.data());
    std::vector<Seen> seen = {{{}, sampler.bits(known.data()), 0}};
    Seen best = seen[0];
    while (best.steps.size() < max_steps) {
      if (!best.steps.empty()) sampler.differences(best.steps, known.data());
      Seen next = best;
      for (const std::uint32_t stride : candidates_) {
        Steps steps = best.steps;
        steps.insert(std::upper_bound(steps.begin(), steps.end(), stride), stride);
        if (std::count(steps.begin(), steps.end(), stride) > 2 || !sampler.reaches(steps)) continue;
        sampler.differences_at(stride, known.data(), best.steps, tried.data());
        const std::uint64_t bits = sampler.bits(tried.data()),
                            first_bits = (std::max(bits, best.bits) - bits) * stride / count_;
        seen.push_back({std::move(steps), bits, best.first_bits + first_bits});
        next = std::min(next, seen.back(), has_fewer_bits);
      }
      if (next.all_bits() + best.all_bits() / saved_part >= best.all_bits()) break;
      best = std::move(next);
    }
    std::stable_sort(seen.begin(), seen.end(), has_fewer_bits);
    return seen;
  }

  /// The best ones by their entropy.
  std::vector<StepChoice> compare(std::span<const Seen> seen, Scratch& scratch) const {
    std::vector<StepChoice> choices;
    for (const Seen& each : seen) {
      if (each.all_bits() > seen[0].all_bits() + seen[0].all_bits() / compared_part) break;
      if (each.is_far() && choices.size() < max_compared) choices.push_back(cost_of(each, scratch));
    }
    std::stable_sort(choices.begin(), choices.end(), costs_less);
    return choices;
  }

  [[nodiscard]] StepChoice cost_of(const Seen& seen, Scratch& scratch) const {
    FarSampler<W> sampler(integers_, count_, reach_of(seen.steps), compared_windows, compared_words);
    Stream sample(signed_type(sizeof(W)), sampler.words(), scratch);
    sampler.differences(seen.steps, sample.template words<W>().data());
    const std::uint64_t first = seen.first_bits * 256 * count_ / (sampled_windows * sampled_words);
    return {seen.steps, estimate_entropy_cost(sample.view()).coded * count_ / sampler.words() + first, first};
  }

 private:
  const Integers& integers_;
  const std::uint64_t count_;
  Steps candidates_;
};

}  // namespace

std::vector<StepChoice> best_steps(const Integers& integers, std::size_t word_bytes, std::uint64_t count,
                                   std::span<const std::uint32_t> strides, std::size_t max_count,
                                   Scratch& scratch) {
  return with_word(word_bytes, [&]<class W>(W) {
    StepSearch<W> search(integers, count, strides);
    const std::vector<Seen> seen = search.find();
    const auto near = std::find_if(seen.begin(), seen.end(), [](const Seen& each) { return !each.is_far(); });
    if (seen[0].all_bits() + near->all_bits() / min_gain_part >= near->all_bits())
      return std::vector<StepChoice>{};
    std::vector<StepChoice> choices = search.compare(seen, scratch);
    // Bits of words say little of floats without differences, whose signs and exponents need few.
    if (const std::uint64_t without = search.cost_of({}, scratch).cost;
        choices[0].cost + choices[0].cost / min_gain_part >= without)
      return std::vector<StepChoice>{};
    // Differences of neighbours are left to other searches.
    std::vector<StepChoice> different;
    for (StepChoice& choice : choices) {
      std::erase(choice.steps, 1);
      const auto is_same = [&](const StepChoice& other) { return other.steps == choice.steps; };
      if (different.size() < max_count && std::none_of(different.begin(), different.end(), is_same))
        different.push_back(std::move(choice));
    }
    return different;
  });
}

}  // namespace floe::trees
