#include "encodings/affine/blocks.hpp"

#include <algorithm>

namespace floe::trees {
namespace {

/// Rows that a lattice is looked for in, that are checked at a time, and that are plain at most before the
/// next ones are looked at.
constexpr std::uint64_t first_rows = 48, checked_rows = 32, max_plain_rows = 1024;
constexpr std::uint64_t fitted_rows = 128, tried_rows = 2048;
constexpr std::size_t max_wrong = 64;
constexpr std::uint64_t block_strays_part = 4;

template <class F>
class BlockFinder {
 public:
  BlockFinder(const ColumnView& stream, std::uint32_t channels)
      : values_(static_cast<const F*>(stream.values), static_cast<std::size_t>(stream.count)),
        channels_(channels),
        rows_((stream.count + channels - 1) / channels) {}

  std::vector<AffineBlock> find() {
    std::uint64_t at = 0, plain = first_rows;
    while (at < rows_) {
      if (!find_lattices(at)) {
        const std::uint64_t rows = std::min(plain, rows_ - at);
        add_plain(rows);
        plain = std::min(2 * plain, max_plain_rows);
        at += rows;
        continue;
      }
      plain = first_rows;
      const std::uint64_t end = end_of_block(at);
      add_block(at, end);
      at = end;
    }
    return std::move(blocks_);
  }

 private:
  static constexpr int precision = sizeof(F) == 8 ? 53 : 24;
  static constexpr DType type = sizeof(F) == 8 ? DType::f64 : DType::f32;

  [[nodiscard]] bool has(std::uint64_t row, std::uint32_t channel) const {
    return row < rows_ && row * channels_ + channel < values_.size();
  }
  [[nodiscard]] double at(std::uint64_t row, std::uint32_t channel) const {
    return static_cast<double>(values_[static_cast<std::size_t>(row * channels_ + channel)]);
  }
  /// Values of a channel in `rows` rows, at most `max_count` of them.
  void sample(std::uint64_t first, std::uint64_t rows, std::uint64_t max_count, std::uint32_t channel) {
    sample_.clear();
    const std::uint64_t step = std::max<std::uint64_t>(1, rows / max_count);
    for (std::uint64_t row = first; row < first + rows; row += step)
      if (has(row, channel)) sample_.push_back(at(row, channel));
  }

  bool find_lattices(std::uint64_t row) {
    lattices_.clear();
    for (std::uint32_t channel = 0; channel < channels_; ++channel) {
      sample(row, first_rows, first_rows, channel);
      if (sample_.empty()) {
        lattices_.push_back({0, 1, 0, 1, true});
        continue;
      }
      const auto lattice = find_lattice(sample_, precision);
      if (!lattice) return false;
      lattices_.push_back(*lattice);
    }
    return true;
  }

  /// The first row at which words of a channel are no longer on its lattice.
  std::uint64_t end_of_block(std::uint64_t first) {
    for (std::uint64_t row = first; row < rows_; row += checked_rows) {
      const std::uint64_t end = std::min(rows_, row + checked_rows);
      for (std::uint32_t channel = 0; channel < channels_; ++channel) {
        std::uint64_t strays = 0, first_stray = end;
        for (std::uint64_t i = row; i < end && has(i, channel); ++i) {
          if (lattices_[channel].takes(at(i, channel), precision)) continue;
          ++strays;
          first_stray = std::min(first_stray, i);
        }
        if (strays * block_strays_part > end - row && first_stray > first)
          return first_of_strays(first, first_stray, channel);
      }
    }
    return rows_;
  }

  /// Where the strays begin that end at a row.
  std::uint64_t first_of_strays(std::uint64_t first, std::uint64_t row, std::uint32_t channel) {
    while (row > first + 1 && !lattices_[channel].takes(at(row - 1, channel), precision)) --row;
    return row;
  }

  void add_plain(std::uint64_t rows) {
    if (!blocks_.empty() && blocks_.back().form == AffineForm::plain)
      blocks_.back().rows += rows;
    else
      blocks_.push_back({rows, AffineForm::plain, {}});
  }

  void add_block(std::uint64_t first, std::uint64_t end) {
    AffineBlock block{end - first, AffineForm::plain, {}};
    for (std::uint32_t channel = 0; channel < channels_; ++channel) {
      block.lines.push_back(line_of(first, end, channel, block.form));
      // All channels have the form of the first one that says more than one number.
      if (!lattices_[channel].is_constant) block.form = block.lines.back().form;
    }
    if (block.form == AffineForm::plain) block.form = AffineForm::sum;
    for (std::uint32_t channel = 0; channel < channels_; ++channel)
      if (block.lines[channel].form != block.form)
        block.lines[channel] = {block.form, 1, lattices_[channel].base};
    const auto is_valid = [](const AffineLine& line) { return is_within_limits(line, type); };
    if (!std::all_of(block.lines.begin(), block.lines.end(), is_valid)) return add_plain(end - first);
    blocks_.push_back(std::move(block));
  }

  /// Words that it is wrong for decide what it is next.
  AffineLine line_of(std::uint64_t first, std::uint64_t end, std::uint32_t channel, AffineForm form) {
    const RoughLattice& lattice = lattices_[channel];
    sample(first, end - first, fitted_rows, channel);
    AffineLine line = fit_line(sample_, lattice, precision, form);
    if (end - first <= fitted_rows || lattice.is_constant) return line;
    std::vector<double> fitted = sample_;
    sample(first, end - first, tried_rows, channel);
    std::vector<std::uint8_t> errors, other_errors;
    std::uint64_t bits = bits_of_errors(line, sample_, precision, errors);
    for (int i = 0; i < 2 && bits > 0; ++i) {
      std::size_t wrong = 0;
      for (std::size_t at = 0; at < sample_.size() && wrong < max_wrong; ++at) {
        if (errors[at] == 0) continue;
        fitted.push_back(sample_[at]);
        ++wrong;
      }
      // Where it is wrong for many, nothing is right for all.
      if (wrong == max_wrong && i > 0) break;
      const AffineLine other = fit_line(fitted, lattice, precision, form);
      const std::uint64_t other_bits = bits_of_errors(other, sample_, precision, other_errors);
      if (other_bits >= bits) break;
      bits = other_bits;
      line = other;
      errors.swap(other_errors);
    }
    return line;
  }

  std::span<const F> values_;
  std::uint32_t channels_;
  std::uint64_t rows_;
  std::vector<RoughLattice> lattices_;
  std::vector<double> sample_;
  std::vector<AffineBlock> blocks_;
};

}  // namespace

std::vector<AffineBlock> find_blocks(const ColumnView& stream, std::uint32_t channels) {
  return stream.type == DType::f64 ? BlockFinder<double>(stream, channels).find()
                                   : BlockFinder<float>(stream, channels).find();
}

}  // namespace floe::trees
