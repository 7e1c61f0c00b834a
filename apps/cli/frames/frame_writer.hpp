// A source that becomes a frame as the user said, with failures that name their cause.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "frames/throwing_sink.hpp"
#include "input/byte_order.hpp"
#include "input/source_content.hpp"

namespace floe::cli {

class FrameWriter {
 public:
  using Take = std::function<void(std::span<const std::byte>)>;
  struct Source {
    std::string label;  ///< What failures and notes name.
    SourceContent content;
    std::span<const std::byte> begin;  ///< Its first bytes, the prefix of an array among them.
  };
  /// `options`: those of the arguments, and what else the library shall do. `take` gets the frame and may
  /// throw. `note` gets what the user shall know about rows; may be empty. `arguments` and the begin of the
  /// source must outlive it.
  FrameWriter(const Arguments& arguments, Options options, Source source, Take take,
              std::function<void(const std::string&)> note = {});
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  /// The next bytes of the source, from its begin. Throw a Failure, or what `take` threw.
  void write(std::span<const std::byte> bytes);
  void finish();
  /// Complete after finish().
  [[nodiscard]] const FrameInfo& info() const noexcept { return writer_->info(); }
  [[nodiscard]] std::uint64_t source_bytes() const noexcept { return source_bytes_; }

 private:
  void create_array(Options options);
  void create_table(const Options& options, std::function<void(const std::string&)> note);
  void check(const Status& status);

  const Arguments& arguments_;
  std::string label_;
  SourceContent content_;
  std::span<const std::byte> begin_;
  ThrowingSink sink_;
  std::string tree_;        ///< Of an array.
  std::string unfit_tree_;  ///< What is wrong with a tree that the user gave.
  std::shared_ptr<const PlannerFactory> planners_;
  std::optional<Writer> writer_;
  ByteOrderFilter byte_order_;
  std::uint64_t source_bytes_ = 0;
};

/// How the library shall read a table: what the user said, but for trees.
TableOptions table_options(const Arguments& arguments, const SourceContent& content);

/// What a header file says. Throws a Failure.
Schema schema_of(const std::string& file);

/// The tree of an array, or nothing if it is planned. Throws a Failure if it is not for this type.
std::string tree_for(const Arguments& arguments, const std::string& file, DType dtype);

}  // namespace floe::cli
