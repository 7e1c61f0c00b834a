// What a source holds: an array, a table, or bytes. The user says it, or it is recognised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "arguments/arguments.hpp"
#include "input/array_description.hpp"
#include "input/input_file.hpp"

namespace floe::cli {

struct SourceContent {
  Content content = Content::array;
  ArrayDescription array;                       ///< Of an array; bytes are one of u8.
  TableSource table_source = TableSource::csv;  ///< Of a table: text or records.
};

/// Throws a Failure that names `file` if options are given that are for tables alone.
void refuse_table_options(const Arguments& arguments, const std::string& file);

/// `begin`: the first bytes of the source, at least 1 MiB or all of it. `size_bytes`: its length if known;
/// then type and shape are checked against it, else check_size() must follow at the end. Throws a Failure
/// that names `file`, also if options are given that are for other content.
SourceContent recognize_content(const Arguments& arguments, const std::string& file,
                                std::span<const std::byte> begin, std::optional<std::uint64_t> size_bytes);
/// The same for a source of which `begin` was read. Tells the user, unless quiet, why it is not taken for
/// what it seems to be.
SourceContent recognize_content(const Arguments& arguments, const InputFile& source,
                                std::span<const std::byte> begin);

}  // namespace floe::cli
