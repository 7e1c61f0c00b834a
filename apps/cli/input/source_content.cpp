#include "input/source_content.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/console.hpp"
#include "base/failure.hpp"
#include "base/text.hpp"
#include "input/foreign_file.hpp"
#include "input/npy_header.hpp"

namespace floe::cli {
namespace {

constexpr std::size_t min_long_line_bytes = std::size_t{1} << 18;

bool is_named_like_table(const std::string& file) {
  return file.ends_with(".csv") || file.ends_with(".tsv") || file.ends_with(".csv.gz") ||
         file.ends_with(".tsv.gz");
}
bool is_named_like_text(const std::string& file) {
  return is_named_like_table(file) || file.ends_with(".txt");
}

/// All numbers in one line: of long ones, not even a list is smaller as a table.
bool is_long_line_of_numbers(std::span<const std::byte> begin) {
  const auto is_visible = [](std::byte byte) { return byte > std::byte{' '}; };
  const auto end = std::find(begin.begin(), begin.end(), std::byte{'\n'}),
             first = std::find_if(begin.begin(), end, is_visible);
  return begin.size() >= min_long_line_bytes && first != end &&
         std::string_view("+-.0123456789").find(static_cast<char>(*first)) != std::string_view::npos &&
         std::none_of(end, begin.end(), is_visible);
}

/// Kind::array stands for bytes, too.
Kind kind_of(const Arguments& arguments, const std::string& file, std::span<const std::byte> begin) {
  if (arguments.kind != Kind::automatic) return arguments.kind;
  if (!arguments.table.schema_file.empty()) return is_named_like_text(file) ? Kind::csv : Kind::records;
  if (arguments.table.separator != 0) return Kind::csv;
  const bool is_array = arguments.array.dtype || !arguments.array.shape.empty() || begins_as_npy(begin) ||
                        hint_of_name(file).dtype;
  const bool is_table = (is_named_like_table(file) && is_text(begin) && !is_long_line_of_numbers(begin)) ||
                        recognize_text(begin) == TextKind::table;
  return !is_array && is_table ? Kind::csv : Kind::array;
}

void refuse_if(bool is_useless, const std::string& file, const std::string& reason) {
  if (is_useless) throw Failure(ExitCode::usage, file, reason);
}

/// Nothing that the user said is passed over.
void check_options(const Arguments& arguments, const std::string& file, Content content) {
  if (content == Content::table) {
    refuse_if(arguments.segment_bytes != 0, file, "--segment is for arrays; --segment-rows is for tables");
    return;
  }
  refuse_table_options(arguments, file);
  for (std::size_t i = 0; i < arguments.trees.size(); ++i)
    refuse_if(!arguments.trees[i].column.empty() || arguments.trees[i].stream != 0, file,
              fmt::format("{}: an array has no columns", printable(arguments.tree_options[i])));
}

}  // namespace

void refuse_table_options(const Arguments& arguments, const std::string& file) {
  refuse_if(arguments.table.segment_rows.has_value(), file,
            "--segment-rows is for tables; --segment is for arrays");
  refuse_if(arguments.table.values_only || arguments.table.name_row != NameRow::detect, file,
            "--values and --names are for tables; --as csv takes the file for one");
  refuse_if(arguments.table.padding_bytes != 0, file, "--padding is for records, which need --schema");
}

SourceContent recognize_content(const Arguments& arguments, const std::string& file,
                                std::span<const std::byte> begin, std::optional<std::uint64_t> size_bytes) {
  SourceContent source;
  const Kind kind = kind_of(arguments, file, begin);
  if (kind == Kind::csv || kind == Kind::records) {
    source.content = Content::table;
    source.table_source = kind == Kind::csv ? TableSource::csv : TableSource::records;
  } else if (kind == Kind::array) {
    source.array = describe_array(arguments.array, file, begin, size_bytes);
  }
  check_options(arguments, file, source.content);
  return source;
}

SourceContent recognize_content(const Arguments& arguments, const InputFile& source,
                                std::span<const std::byte> begin) {
  const auto size_bytes =
      begin.size() < read_bytes ? std::optional<std::uint64_t>(begin.size()) : source.size_bytes();
  SourceContent content = recognize_content(arguments, source.label(), begin, size_bytes);
  if (!arguments.quiet && !content.array.note.empty())
    print_note(fmt::format("{}: {}", printable(source.label()), content.array.note));
  return content;
}

}  // namespace floe::cli
