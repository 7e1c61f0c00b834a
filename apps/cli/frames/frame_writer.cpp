#include "frames/frame_writer.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/failure.hpp"
#include "base/text.hpp"
#include "research/planners.hpp"

namespace floe::cli {
namespace {

constexpr std::uint64_t max_option_file_bytes = std::uint64_t{64} << 20;
/// With Profile::gpu: shorter than usual, so that GPUs have many segments to work on at the same time.
constexpr std::uint32_t segment_rows_for_gpus = 1u << 16;

/// Reads a small file that the library parses, which names lines in its errors.
template <class Parse>
auto read_option_file(const std::string& file, const Parse& parse) {
  InputFile source = InputFile::open(file, true);
  const std::vector<std::byte> bytes = source.read_all(max_option_file_bytes);
  auto result = parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!result)
    throw Failure(ExitCode::error, source.label(),
                  fmt::format("line {}: {}", result.status().byte_offset, result.status().detail));
  return std::move(*result);
}

std::shared_ptr<const PlannerFactory> planners_of(const TableArguments& table) {
  if (table.by_thesis) return research::thesis_planners();
  if (table.times_file.empty()) return nullptr;
  return research::planners_with_times(read_option_file(table.times_file, research::parse_encoding_times));
}

/// "--tree x=rle: character 3: no encoding has this name". `words`: what the tree does not fit.
std::string tree_problem(const Arguments& arguments, std::size_t index, const Status& status,
                         const std::string& words) {
  const std::string& option = arguments.tree_options[index];
  const std::string_view option_name = "--tree ";
  if (!option.starts_with(option_name))
    return fmt::format("{}: {}{}", printable(option), words, status.detail);
  const std::size_t character = option.size() - option_name.size() - arguments.trees[index].tree.size() +
                                static_cast<std::size_t>(status.byte_offset) + 1;
  return fmt::format("{}: {}character {}: {}", printable(option), words, character, status.detail);
}

std::string unfit_tree_text(const Arguments& arguments, const UnfitTree& unfit) {
  if (unfit.words.empty())
    return fmt::format("{}: {}", printable(arguments.tree_options[unfit.index]), unfit.reason.detail);
  return tree_problem(arguments, unfit.index, unfit.reason,
                      fmt::format("segment {} has words of type {}: ", unfit.segment, unfit.words));
}

/// Tells the first few lines that are no rows.
std::function<void(const MalformedRow&)> row_notes(const std::string& file,
                                                   std::function<void(const std::string&)> note) {
  if (!note) return {};
  return [name = printable(file), note = std::move(note),
          count = std::uint64_t{0}](const MalformedRow& row) mutable {
    constexpr std::uint64_t max_notes = 10;
    if (++count > max_notes + 1) return;
    if (count == max_notes + 1) return note(fmt::format("{}: more such lines follow", name));
    note(fmt::format("{}: line {}, column {}: {} cells do not make a row; kept as it is", name, row.line,
                     row.column, row.cell_count));
  };
}

}  // namespace

TableOptions table_options(const Arguments& arguments, const SourceContent& content) {
  const TableArguments& given = arguments.table;
  TableOptions table;
  table.source = content.table_source;
  if (!given.schema_file.empty()) table.schema = schema_of(given.schema_file);
  table.separator = given.separator;
  table.name_row = given.name_row;
  table.keep_text = !given.values_only;
  table.padding_bytes = given.padding_bytes;
  const bool is_for_gpus = arguments.chosen_profile() == Profile::gpu;
  table.segment_rows =
      given.segment_rows.value_or(is_for_gpus ? segment_rows_for_gpus : TableOptions{}.segment_rows);
  return table;
}

Schema schema_of(const std::string& file) { return read_option_file(file, parse_schema); }

std::string tree_for(const Arguments& arguments, const std::string& file, DType dtype) {
  if (arguments.trees.empty()) return {};
  const std::string& tree = arguments.trees.back().tree;
  if (const Status status = check_tree(tree, dtype); !status.ok())
    throw Failure(ExitCode::error, file,
                  tree_problem(arguments, arguments.trees.size() - 1, status,
                               fmt::format("the elements are {}: ", name_of(dtype))));
  return tree;
}

FrameWriter::FrameWriter(const Arguments& arguments, Options options, Source source, Take take,
                         std::function<void(const std::string&)> note)
    : arguments_(arguments),
      label_(std::move(source.label)),
      content_(std::move(source.content)),
      begin_(source.begin),
      sink_(std::move(take)),
      byte_order_(content_.array.is_big_endian ? size_of(content_.array.dtype) : 1) {
  if (content_.content == Content::array) {
    create_array(std::move(options));
  } else {
    create_table(options, std::move(note));
  }
}

void FrameWriter::create_array(Options options) {
  const ArrayDescription& array = content_.array;
  tree_ = tree_for(arguments_, label_, array.dtype);
  options.tree = tree_;
  options.segment_bytes = arguments_.segment_bytes;
  options.prefix = begin_.first(array.prefix_bytes);
  Result<Writer> writer = Writer::create(sink_.sink(), array.dtype, array.inner_extent(), options);
  if (!writer) throw library_failure(label_, writer.status());
  writer_ = std::move(*writer);
}

void FrameWriter::create_table(const Options& options, std::function<void(const std::string&)> note) {
  TableOptions table = table_options(arguments_, content_);
  table.trees = arguments_.trees;
  table.on_unfit_tree = [this](const UnfitTree& unfit) { unfit_tree_ = unfit_tree_text(arguments_, unfit); };
  table.on_malformed_row = row_notes(label_, std::move(note));
  planners_ = planners_of(arguments_.table);
  table.planners = planners_.get();
  Result<Writer> writer = Writer::create(sink_.sink(), table, options);
  if (!writer) throw library_failure(label_, writer.status());
  writer_ = std::move(*writer);
}

void FrameWriter::write(std::span<const std::byte> bytes) {
  const std::uint64_t prefix = content_.array.prefix_bytes;
  const std::uint64_t of_prefix =
      std::min<std::uint64_t>(prefix - std::min(prefix, source_bytes_), bytes.size());
  source_bytes_ += bytes.size();
  check(writer_->write(byte_order_.reverse(bytes.subspan(of_prefix))));
}

void FrameWriter::finish() {
  if (content_.content == Content::array) check_size(content_.array, label_, source_bytes_);
  check(writer_->finish());
}

void FrameWriter::check(const Status& status) {
  if (!status.ok() && !unfit_tree_.empty()) throw Failure(ExitCode::error, label_, unfit_tree_);
  sink_.check(status, label_);
}

}  // namespace floe::cli
