#include "bench/subject.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/console.hpp"
#include "base/failure.hpp"
#include "base/text.hpp"
#include "frames/frame_writer.hpp"
#include "input/byte_order.hpp"
#include "input/input_file.hpp"
#include "input/packed_files.hpp"
#include "input/source_content.hpp"

namespace floe::cli {
namespace {

constexpr std::uint64_t room_for_prefix_bytes = std::uint64_t{1} << 20;

class ArraySubject final : public Subject {
 public:
  ArraySubject(std::vector<std::byte> elements, DType dtype, const Extent& extent)
      : Subject(std::move(elements)), dtype_(dtype), extent_(extent) {}

  [[nodiscard]] std::string type() const override { return std::string(name_of(dtype_)); }
  [[nodiscard]] std::string description() const override {
    return fmt::format("{} {}", name_of(dtype_), shape_text(std::span(extent_.size).first(extent_.rank)));
  }
  [[nodiscard]] DType dtype() const noexcept override { return dtype_; }

  Result<std::size_t> compress(std::vector<std::byte>& frame, std::span<const std::byte> in,
                               const Method& method) const override {
    Options options = method.options;
    options.tree = method.tree;
    const Result<std::uint64_t> bound = max_compressed_size(dtype_, extent_, options);
    if (!bound) return bound.status();
    if (frame.size() < *bound) frame.resize(*bound);
    return compress_into(frame, in, dtype_, extent_, options);
  }
  Status decompress(std::span<std::byte> out, std::span<const std::byte> frame,
                    const DecodeOptions& options) const override {
    const Result<Reader> reader = Reader::open(frame);
    return reader ? reader->decompress(out, options) : reader.status();
  }

  [[nodiscard]] std::unique_ptr<Subject> with_size(std::uint64_t bytes) const override {
    const std::uint64_t word_bytes = size_of(dtype_);
    const std::uint64_t count = std::max<std::uint64_t>(bytes / word_bytes, 1);
    return std::make_unique<ArraySubject>(repeated(bytes_, count * word_bytes, word_bytes), dtype_,
                                          Extent::linear(count));
  }

 private:
  DType dtype_;
  Extent extent_;
};

class TableSubject final : public Subject {
 public:
  TableSubject(std::vector<std::byte> bytes, const TableOptions& table)
      : Subject(std::move(bytes)), table_(table) {}

  [[nodiscard]] std::string type() const override { return "table"; }
  [[nodiscard]] std::string description() const override {
    return table_.source == TableSource::csv ? "table, CSV" : "table, records";
  }
  [[nodiscard]] DType dtype() const noexcept override { return DType::text; }

  Result<std::size_t> compress(std::vector<std::byte>& frame, std::span<const std::byte> in,
                               const Method& method) const override {
    TableOptions table = table_;
    if (!method.tree.empty()) table.trees = {{"", 0, method.tree}};
    frame.clear();
    Result<Writer> writer = Writer::create(append_to(frame), table, method.options);
    if (!writer) return writer.status();
    if (const Status status = writer->write(in); !status.ok()) return status;
    if (const Status status = writer->finish(); !status.ok()) return status;
    return frame.size();
  }
  Status decompress(std::span<std::byte> out, std::span<const std::byte> frame,
                    const DecodeOptions& options) const override {
    const Result<Reader> reader = Reader::open(frame);
    if (!reader) return reader.status();
    const auto put = [&out](std::span<const std::byte> bytes) -> Status {
      if (bytes.size() > out.size()) return {ErrorCode::output_too_small, 0, "more bytes than there were"};
      std::memcpy(out.data(), bytes.data(), bytes.size());
      out = out.subspan(bytes.size());
      return {};
    };
    return reader->restore(put, options);
  }

  /// The first line of a text may hold names, so it stays the first one.
  [[nodiscard]] std::unique_ptr<Subject> with_size(std::uint64_t bytes) const override {
    if (table_.source != TableSource::csv)
      return std::make_unique<TableSubject>(repeated(bytes_, bytes, record_bytes()), table_);
    const auto line_end = std::find(bytes_.begin(), bytes_.end(), std::byte{'\n'});
    const auto first_bytes =
        static_cast<std::size_t>(line_end - bytes_.begin()) + (line_end != bytes_.end() ? 1 : 0);
    const std::span<const std::byte> rows = std::span(bytes_).subspan(first_bytes);
    std::vector<std::byte> text(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(first_bytes));
    while (!rows.empty() && text.size() < bytes)
      text.insert(text.end(), rows.begin(),
                  rows.begin() +
                      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(rows.size(), bytes - text.size())));
    return std::make_unique<TableSubject>(std::move(text), table_);
  }

 private:
  [[nodiscard]] std::uint64_t record_bytes() const {
    std::uint64_t bytes = table_.padding_bytes;
    for (const Column& column : table_.schema) bytes += size_of(column.type);
    return std::max<std::uint64_t>(bytes, 1);
  }

  TableOptions table_;
};

/// All of a source, or as much of it as the user wants.
std::vector<std::byte> read_for(const Arguments& arguments, InputFile& source) {
  const std::uint64_t limit_bytes = arguments.bench.limit_bytes;
  return source.read_up_to(limit_bytes == 0 ? UINT64_MAX : limit_bytes + room_for_prefix_bytes);
}

std::unique_ptr<Subject> subject_of(const Arguments& arguments, const std::string& file,
                                    std::vector<std::byte> bytes, const SourceContent& content) {
  const std::uint64_t limit_bytes = arguments.bench.limit_bytes;
  if (content.content == Content::table) {
    if (limit_bytes != 0 && bytes.size() > limit_bytes) bytes.resize(limit_bytes);
    if (bytes.empty()) throw Failure(ExitCode::error, file, "holds no rows, so there is nothing to measure");
    return std::make_unique<TableSubject>(std::move(bytes), table_options(arguments, content));
  }
  const ArrayDescription& array = content.array;
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(array.prefix_bytes));
  Extent extent = array.extent(bytes.size() / size_of(array.dtype));
  if (limit_bytes != 0 && bytes.size() > limit_bytes) {
    extent = Extent::linear(limit_bytes / size_of(array.dtype));
    bytes.resize(extent.size[0] * size_of(array.dtype));
  }
  if (bytes.empty())
    throw Failure(ExitCode::error, file, "holds no elements, so there is nothing to measure");
  if (array.is_big_endian) {
    ByteOrderFilter byte_order(size_of(array.dtype));
    const auto words = byte_order.reverse(bytes);
    bytes.assign(words.begin(), words.end());
  }
  return std::make_unique<ArraySubject>(std::move(bytes), array.dtype, extent);
}

}  // namespace

std::vector<std::byte> repeated(std::span<const std::byte> content, std::uint64_t bytes, std::uint64_t unit) {
  const std::uint64_t wanted = std::max<std::uint64_t>(bytes / unit, 1) * unit;
  const auto from =
      content.subspan(content.size() > wanted ? (content.size() - wanted) / unit / 2 * unit : 0);
  std::vector<std::byte> longer;
  longer.reserve(wanted);
  while (longer.size() < wanted) {
    const auto part = from.first(std::min<std::uint64_t>(from.size(), wanted - longer.size()));
    longer.insert(longer.end(), part.begin(), part.end());
  }
  return longer;
}

Sink append_to(std::vector<std::byte>& bytes) {
  return [&bytes](std::span<const std::byte> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return Status{};
  };
}

std::unique_ptr<Subject> load_subject(const Arguments& arguments, const std::string& file) {
  InputFile source = open_content(arguments, file, true);
  std::vector<std::byte> bytes = read_for(arguments, source);
  const std::uint64_t whole_bytes = std::max<std::uint64_t>(source.size_bytes().value_or(0), bytes.size());
  const SourceContent content = recognize_content(arguments, source.label(), bytes, whole_bytes);
  if (!content.array.note.empty())
    print_note(fmt::format("{}: {}", printable(source.label()), content.array.note));
  return subject_of(arguments, file, std::move(bytes), content);
}

std::unique_ptr<Subject> load_subject(const Arguments& arguments, InputFile& source,
                                      const SourceContent& content) {
  return subject_of(arguments, source.label(), read_for(arguments, source), content);
}

}  // namespace floe::cli
