// Options that say where files are, and what they hold.
#include <fmt/core.h>

#include "arguments/option_groups.hpp"
#include "arguments/option_values.hpp"
#include "base/text.hpp"

namespace floe::cli {

void add_file_options(CommandLine& line, const Spelling& spelling, Arguments& a) {
  line.begin_group("Files");
  line.value(compress | decompress | recover | generate | calibrate, spelling.output, "FILE",
             "Write to FILE; - is standard output", [&a](std::string_view text) { a.output = text; });
  line.flag(compress | decompress | recover, spelling.to_stdout, a.to_stdout, "Write to standard output");
  line.flag(compress | decompress | recover | plan | bench | generate | calibrate, spelling.force, a.force,
            "Overwrite; read and write fifos and devices; write binary to a terminal");
  line.flag(compress | decompress, "-k,--keep", a.keep_source, "Keep the source (this is the default)");
  line.flag(compress | decompress, "--rm", a.remove_source, "Delete the source after success");
  line.flag(compress, "--verify", a.verify, "Read the result back and compare before it gets its name");
  line.flag(compress | decompress | recover, "--fsync", a.synchronize,
            "Wait until the result has reached the disk");
  line.value(plan | bench, "--picture", "FILE",
             "Write a page (HTML): plan the trees and ratios of one file, bench ratio against speed",
             [&a](std::string_view text) { a.picture = text; });
}

void add_recovery_options(CommandLine& line, Arguments& a) {
  line.flag(recover, "--leave-out", a.leave_out,
            "Leave lost elements and records out; else they become zero bytes");
  line.value(
      recover, "--like", "FILE",
      "Where the header is lost: take that of FILE, which was compressed with the same options from data "
      "of the same kind, if it is the same",
      [&a](std::string_view text) { a.similar_file = text; });
}

void add_content_options(CommandLine& line, const Spelling& spelling, Arguments& a) {
  line.begin_group("Content");
  const bool only_decompresses = !line.offers(compress | plan | bench);
  line.value(compress | plan | bench | decompress, spelling.kind, "KIND",
             only_decompresses
                 ? "What a table becomes: csv or records; else what it was"
                 : "Take files for: bytes, array, csv, records or safetensors; else it is recognised",
             [&a, option = spelling.kind](std::string_view text) { a.kind = kind_value(option, text); });
  line.value(compress | plan | bench | decompress, spelling.schema, "FILE",
             only_decompresses
                 ? "Check that the table has as many columns as this header file"
                 : "Header file of a table, records or csv: a line name,type,precision for each column",
             [&a](std::string_view text) { a.table.schema_file = text; });
  line.value(compress | plan | bench | decompress, spelling.padding, "BYTES",
             only_decompresses ? "Check that there are so many bytes behind each record"
                               : "Records: bytes behind each of them that belong to no column",
             [&a](std::string_view text) {
               a.table.padding_bytes =
                   static_cast<std::uint32_t>(number_value("--padding", text, 0, 1u << 20));
             });
  const bool recovers = line.offers(recover);
  line.value(compress | plan | bench | recover, "--separator", "C",
             recovers ? "CSV whose header is lost: what shall stand between cells (default ,)"
                      : "CSV: what stands between cells; else one of , ; tab | is detected",
             [&a](std::string_view text) { a.table.separator = separator_value("--separator", text); });
  line.value(compress | plan | bench, "--names", "WHETHER",
             "CSV: whether the first line holds names: yes, no or detect (default)",
             [&a](std::string_view text) { a.table.name_row = name_row_value("--names", text); });
  line.flag(compress | plan | bench, "--values", a.table.values_only,
            "CSV: keep the values of numbers, not how each is written");
  line.value(
      compress | plan | bench, "--segment-rows", "N",
      "Tables: rows that are encoded together, 1 to 1048576; of fewer, parts are read faster, and take more. "
      "Default 1048576; with --profile gpu 65536",
      [&a](std::string_view text) {
        a.table.segment_rows = static_cast<std::uint32_t>(number_value("--segment-rows", text, 1, 1u << 20));
      });
}

void add_array_options(CommandLine& line, Arguments& a) {
  line.value(compress | plan | bench, "--dtype,--type", "TYPE", "Arrays: type of the elements, e.g. f32",
             [&a](std::string_view text) { a.array.dtype = dtype_value("--dtype", text); });
  line.value(compress | plan | bench, "--shape", "SHAPE",
             "Arrays: dimensions, slowest first: 26x1800x3600 or 26,1800,3600",
             [&a](std::string_view text) { a.array.shape = shape_value("--shape", text); });
}

void add_part_options(CommandLine& line, Arguments& a) {
  line.value(decompress, "--slice", "FIRST:COUNT", "Only these elements of an array; needs -o or -c",
             [&a](std::string_view text) { a.slice = slice_value("--slice", text); });
  line.value(decompress, "--rows", "FIRST:COUNT",
             "Only these rows of a table, as text, or these outermost entries of an array; needs -o or -c",
             [&a](std::string_view text) { a.rows = slice_value("--rows", text); });
  line.value(decompress, "--columns", "A,B",
             "Only these columns of a table, by name or number from 1, as text; needs -o or -c",
             [&a](std::string_view text) {
               for (const auto name : split(text, ',')) a.columns.emplace_back(name);
             });
}

}  // namespace floe::cli
