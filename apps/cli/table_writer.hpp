// A table that is compressed as the user said, with failures that name their cause.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "output_file.hpp"
#include "series_arguments.hpp"
#include "streaming.hpp"

namespace floe::cli {

class TableWriter {
 public:
  using Take = std::function<void(std::span<const std::byte>)>;
  /// `take` may throw. `change` may set more of the options.
  TableWriter(const SeriesArguments& arguments, std::string file, Take take,
              const std::function<void(tables::TableOptions&)>& change = {},
              tables::StreamEncoder* streams = nullptr);
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// Throw a Failure, or what `take` threw.
  void write(std::span<const std::byte> bytes) { check(compressor_->write(bytes)); }
  void finish() { check(compressor_->finish()); }
  [[nodiscard]] const tables::TableInfo& info() const noexcept { return compressor_->info(); }
  [[nodiscard]] tables::EncoderShare encoder_share() const noexcept { return compressor_->encoder_share(); }

 private:
  void check(const Status& status);

  std::string file_;
  ThrowingSink sink_;
  std::string unfit_tree_;  ///< What is wrong with a tree that the user gave.
  std::optional<tables::TableCompressor> compressor_;
};

/// Writes a new file without a source whose attributes it could take.
void write_new_file(const std::string& file, bool overwrite, const std::function<void(OutputFile&)>& write);

}  // namespace floe::cli
