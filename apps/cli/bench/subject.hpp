// What `floe bench` measures on: the content of a file in memory, its begin, or as long as the user wants,
// and how it becomes a frame and comes back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "floe/floe.hpp"
#include "input/input_file.hpp"
#include "input/source_content.hpp"

namespace floe::cli {

/// A row of results: a codec, a goal or a tree.
struct Method {
  std::string name;
  Options options;   ///< Without a tree.
  std::string tree;  ///< Empty for a goal.
};

class Subject {
 public:
  virtual ~Subject() = default;
  /// What is compressed.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// "f32" or "table".
  [[nodiscard]] virtual std::string type() const = 0;
  /// "f32 26x1800x3600" or "table, CSV".
  [[nodiscard]] virtual std::string description() const = 0;
  /// The type of an array's elements; text for a table.
  [[nodiscard]] virtual DType dtype() const noexcept = 0;

  /// `in` is as bytes(). `frame` may be larger than what it returns, and is used again for the next one.
  virtual Result<std::size_t> compress(std::vector<std::byte>& frame, std::span<const std::byte> in,
                                       const Method& method) const = 0;
  /// out.size() is that of bytes().
  virtual Status decompress(std::span<std::byte> out, std::span<const std::byte> frame,
                            const DecodeOptions& options) const = 0;

  /// As many bytes as wanted, about: all again and again, or those in the middle, as files often begin with
  /// what is not typical of them.
  [[nodiscard]] virtual std::unique_ptr<Subject> with_size(std::uint64_t bytes) const = 0;

 protected:
  explicit Subject(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  std::vector<std::byte> bytes_;
};

/// The content of a file, or its begin if it is longer than the user wants. Throws a Failure, also if there
/// is nothing to measure.
std::unique_ptr<Subject> load_subject(const Arguments& arguments, const std::string& file);

/// Of a source whose content is known.
std::unique_ptr<Subject> load_subject(const Arguments& arguments, InputFile& source,
                                      const SourceContent& content);

/// `content` of so many bytes, repeated or from its middle, in units of `unit` bytes.
std::vector<std::byte> repeated(std::span<const std::byte> content, std::uint64_t bytes, std::uint64_t unit);

/// A sink that appends to a vector.
Sink append_to(std::vector<std::byte>& bytes);

}  // namespace floe::cli
