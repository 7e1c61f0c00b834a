// Which tables are golden files? Columns with every encoding and type, and texts with every cell format.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/golden/cell_texts.hpp"
#include "tests/golden/golden_case.hpp"
#include "tests/support/data.hpp"
#include "tests/support/tables.hpp"

namespace floe::test::golden {

/// Trees that between them have every encoding and every kind of parameter, for the types that take them.
inline std::vector<std::string> trees_of(DType type) {
  const bool is_float = type <= DType::bf16;
  const std::size_t width = size_of(type);
  const std::string codec = width == 1   ? "speed8"
                            : width == 2 ? "speed16"
                            : width == 4 ? "spratio"
                                         : "dpratio";
  std::vector<std::string> trees = {"raw",
                                    "sparse,entropy,raw",
                                    "stride_split,raw,rle,bitpack,raw",
                                    "unique,raw,delta,entropy",
                                    "dict,raw,bitpack,raw",
                                    "dict(2),raw,entropy,raw",
                                    "split(2),rle,bitpack,bitpack,raw,raw",
                                    "split(3),bitpack,raw,raw",
                                    codec,
                                    "rle,bitpack," + codec};
  const auto add = [&](std::initializer_list<const char*> more) {
    trees.insert(trees.end(), more.begin(), more.end());
  };
  if (width >= 4) add({"gfc(2)", "stride_split(3),raw,gfc,raw"});
  if (is_float) {
    add({"sortable,delta,bitpack", "rle,bitpack,raw", "dict,sortable,bitpack,bitpack,raw",
         "unique,sortable,delta,bitpack,bitpack", "divide(1,3),delta,bitpack,entropy"});
    if (width >= 4) add({"decimal(2),delta,bitpack,bitpack,raw", "decimal(1),entropy,delta,bitpack,raw"});
    if (width == 8) add({"decimal(2,8),bitpack,bitpack,raw", "divide(1,40),delta,bitpack,entropy"});
    return trees;
  }
  add({"bitpack", "entropy", "delta,bitpack", "delta(2),entropy", "delta(1,3),raw", "delta(2,5),bitpack",
       "delta(2,64),bitpack", "rle,bitpack,delta,bitpack", "int_mult,bitpack",
       "split,rle,bitpack,bitpack,bitpack,entropy", "split(1),bitpack,bitpack,bitpack",
       "sparse,bitpack,bitpack", "stride_split(5),bitpack,raw,delta,bitpack,bitpack,bitpack",
       "stride_split(8),bitpack,bitpack,bitpack,bitpack,bitpack,bitpack,bitpack,bitpack",
       "dict(1,9),delta,bitpack,bitpack,bitpack", "divide(7),delta,bitpack,bitpack",
       "divide(3,4),entropy,rle,bitpack,bitpack", "unique,delta,bitpack,bitpack"});
  return trees;
}

/// The bits of a number as a value of a type.
inline std::uint64_t value_bits(DType type, double number) {
  const auto word = [](auto value) {
    std::uint64_t all = 0;
    std::memcpy(&all, &value, sizeof value);
    return all;
  };
  switch (type) {
    case DType::f64:
      return word(number);
    case DType::f32:
      return word(static_cast<float>(number));
    case DType::bf16:
      return word(static_cast<float>(number)) >> 16;
    case DType::f16:  // of numbers from 0 to 25 in steps of a quarter
      return number == 0 ? 0 : (word(static_cast<float>(number)) >> 13) - 0x1C000;
    default:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
  }
}

/// A walk with runs and outliers; of floats in quarters, with some that are no decimals.
inline std::vector<std::uint64_t> walk_of(DType type, std::size_t rows, Random& random) {
  static constexpr double odd[] = {-0.0, 1.0 / 3, 5e-324, 1e300};
  const std::uint64_t top = std::uint64_t{1} << (8 * size_of(type) - 1);
  const bool has_outliers = random.below(5) > 0;
  std::vector<std::uint64_t> values;
  std::int64_t at = 20;
  for (std::size_t row = 0; row < rows; ++row) {
    if (random.below(4) == 0) at += static_cast<std::int64_t>(random.below(7)) - 3;
    at = std::clamp<std::int64_t>(at, 0, 100);
    const bool is_outlier = has_outliers && random.below(300) == 0;
    const std::uint64_t choice = random.below(4);
    if (type == DType::boolean) {
      values.push_back(is_outlier ? choice : static_cast<std::uint64_t>(at > 30));
    } else if (type > DType::bf16) {
      values.push_back(is_outlier ? top - choice % 2 : static_cast<std::uint64_t>(at));
    } else if (is_outlier && size_of(type) == 8) {
      values.push_back(value_bits(type, odd[choice]));
    } else {  // negative zeros, and the largest words, which are NaN
      values.push_back(is_outlier ? (choice < 2 ? top : 2 * top - choice)
                                  : value_bits(type, 0.25 * static_cast<double>(at)));
    }
  }
  return values;
}

inline std::vector<std::byte> as_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline void put_value(std::vector<std::byte>& records, std::uint64_t value, std::size_t width) {
  for (std::size_t b = 0; b < width; ++b) records.push_back(static_cast<std::byte>(value >> 8 * b));
}

inline std::size_t record_bytes(const TableOptions& table) {
  std::size_t bytes = table.padding_bytes;
  for (const Column& column : table.schema) bytes += size_of(column.type);
  return bytes;
}

/// `content` as a table; records of a table of columns come apart first.
inline std::vector<std::byte> compress_table(const TableOptions& table, const Options& options,
                                             std::span<const std::byte> content) {
  std::vector<std::byte> frame;
  Result<Writer> writer = Writer::create(append_to(frame), table, options);
  writer.status().or_throw();
  if (table.source == TableSource::columns) {
    const std::size_t width = record_bytes(table), rows = content.size() / width;
    std::vector<std::vector<std::uint64_t>> columns;
    std::vector<const void*> values;
    std::size_t offset = 0;
    for (const Column& column : table.schema) {
      const std::size_t bytes = size_of(column.type);
      auto& words = columns.emplace_back((rows * bytes + 7) / 8);
      for (std::size_t row = 0; row < rows; ++row)
        std::memcpy(reinterpret_cast<std::byte*>(words.data()) + row * bytes,
                    content.data() + row * width + offset, bytes);
      values.push_back(words.data());
      offset += bytes;
    }
    writer->write_columns(values, rows).or_throw();
  } else {
    writer->write(content).or_throw();
  }
  writer->finish().or_throw();
  return frame;
}

/// A column for each tree.
inline GoldenCase tree_case(std::string folder, DType type, const std::vector<std::string>& trees,
                            std::size_t rows) {
  TableOptions table;
  table.source = TableSource::columns;
  for (const std::string& tree : trees) {
    const std::string name = "c" + std::to_string(table.schema.size());
    table.schema.push_back({name, type, 2});
    table.trees.push_back({name, 0, tree});
  }
  GoldenCase golden;
  golden.name = "tables/" + std::move(folder) + '/' + std::string(name_of(type));
  golden.content = [type, rows, columns = table.schema.size()] {
    Random random(17);
    std::vector<std::vector<std::uint64_t>> values;
    for (std::size_t i = 0; i < columns; ++i) values.push_back(walk_of(type, rows, random));
    std::vector<std::byte> records;
    for (std::size_t row = 0; row < rows; ++row) {
      for (const auto& column : values) put_value(records, column[row], size_of(type));
    }
    return records;
  };
  golden.compress = [table](std::span<const std::byte> content) {
    return compress_table(table, {}, content);
  };
  return golden;
}

inline GoldenCase text_case(std::string name, std::string text, TableOptions table, Options options = {}) {
  GoldenCase golden;
  golden.name = "tables/text/" + std::move(name);
  golden.content = [text = std::move(text)] { return as_bytes(text); };
  golden.compress = [table = std::move(table), options](std::span<const std::byte> content) {
    return compress_table(table, options, content);
  };
  golden.is_rewritten = false;
  return golden;
}

/// Records of a column of every type, with `extra` bytes behind the last whole one.
inline GoldenCase record_case(std::string name, TableSource source, std::uint32_t padding_bytes,
                              std::uint64_t padding, std::size_t extra, Options options = {}) {
  TableOptions table;
  table.source = source;
  table.padding_bytes = padding_bytes;
  table.segment_rows = 100;
  for (unsigned type = 1; type < static_cast<unsigned>(DType::text); ++type)
    table.schema.push_back({std::string(name_of(DType{static_cast<std::uint8_t>(type)})),
                            DType{static_cast<std::uint8_t>(type)}, 3});
  GoldenCase golden;
  golden.name = "tables/records/" + std::move(name);
  golden.content = [table, padding, extra] {
    Random random(23);
    std::vector<std::vector<std::uint64_t>> values;
    for (const Column& column : table.schema)
      values.push_back(walk_of(column.type == DType::time ? DType::i64 : column.type, 250, random));
    std::vector<std::byte> records;
    for (std::size_t row = 0; row < 250; ++row) {
      for (std::size_t i = 0; i < values.size(); ++i)
        put_value(records, values[i][row], size_of(table.schema[i].type));
      put_value(records, padding * row, table.padding_bytes);
    }
    records.insert(records.end(), extra, std::byte{7});
    return records;
  };
  golden.compress = [table, options](std::span<const std::byte> content) {
    return compress_table(table, options, content);
  };
  golden.is_rewritten = false;
  return golden;
}

/// Small tables as compact frames: all cell formats, and all that their descriptions say.
inline void add_compact_cases(std::vector<GoldenCase>& cases, const std::vector<CellTable>& tables,
                              const TableOptions& typed) {
  const auto add = [&](const std::string& name, std::string text, const TableOptions& table = {}) {
    cases.push_back(text_case("compact_" + name, std::move(text), table, {.goal = Goal::ratio}));
  };
  for (std::size_t i = 0; i < tables.size(); ++i)
    add("formats_" + std::to_string(i), text_of(tables[i], i % 2 == 0 ? "\n" : "\r\n", ',', i % 3 == 2));
  add("schema", "w,x,y\n2024-01-02,a,1.25\n2024-01-03,b,NA\n", typed);
  add("malformed", "a,b\n1,2\n3,4,5\n\n6\n7,8\n");
  add("quotes", "\"\",\"name\",\"of\"\n\"1\",\"Anna\",\"x\"\n\"2\",\"\",\"x\"\n\"3\",\"Otto\",\"y\"\n");
  add("names", "# about\n'a',\"b\",\n1,2,3\n4,5,6\n");
  add("base_columns", csv_of_related_columns(1100));
}

/// Small tables as their text, with all that is said of them.
inline void add_text_cases(std::vector<GoldenCase>& cases, const TableOptions& typed) {
  const auto add = [&](const std::string& name, std::string text, const TableOptions& table = {}) {
    cases.push_back(text_case("text_" + name, std::move(text), table, {.goal = Goal::max}));
  };
  std::string rows;
  for (int i = 0; i < 60; ++i)
    rows += std::to_string(i * i % 97) + ";\"" + (i % 3 == 0 ? "Ulm; Donau" : "Bonn") + "\";note " +
            std::to_string(i * 7 % 11) + (i == 31 ? ";more\n" : "\n");
  add("names", "number;\"city\";note\n" + rows);
  add("no_names", rows, {.name_row = NameRow::no});
  add("crlf", "a,b\r\n1,x\r\n2,y\r\n3,z\r\n4,x\n\r\n5,y");
  add("schema", "w,x,y\n2024-01-02,a,1.25\n2024-01-03,b,NA\n", typed);
  std::string rare = "Ort|Höhe\n";
  for (int i = 0; i < 40; ++i)
    rare += "ZÜRICH [#" + std::to_string(i) + "]|" + std::to_string(i % 7) + ",5 µm~\n";
  add("rare_bytes", rare);
  std::string letters = "city;country\n";
  for (int i = 0; i < 40; ++i)
    letters += i % 3 == 0 ? "Ulm;Germany\n" : i % 5 == 0 ? "York;Great Britain\n" : "Nice;France\n";
  add("letters", letters);
}

/// New rows go to the end.
inline std::vector<GoldenCase> table_cases() {
  std::vector<GoldenCase> cases;
  for (unsigned number = 1; number <= static_cast<unsigned>(DType::boolean); ++number) {
    const DType type{static_cast<std::uint8_t>(number)};
    cases.push_back(tree_case("encodings", type, trees_of(type), 250));
  }
  // More than a block of bitpack.
  for (unsigned number = static_cast<unsigned>(DType::i8); number <= static_cast<unsigned>(DType::boolean);
       ++number) {
    const DType type{static_cast<std::uint8_t>(number)};
    cases.push_back(
        tree_case("blocks", type,
                  {"bitpack", "entropy", "delta,bitpack", "delta(2,5),entropy", "int_mult,bitpack"}, 1030));
  }

  cases.push_back(record_case("padded", TableSource::records, 3, 0x10203, 0));
  cases.push_back(record_case("padded_with_zeros", TableSource::records, 2, 0, 0));
  cases.push_back(record_case("with_rest", TableSource::records, 0, 0, 5));
  cases.push_back(record_case("no_checksums", TableSource::records, 0, 0, 0, {.checksum = false}));
  cases.push_back(record_case("columns", TableSource::columns, 0, 0, 0));

  const std::vector<CellTable> tables = tables_of_all_formats();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string name = "formats_" + std::to_string(i);
    TableOptions lf, crlf, open;
    crlf.segment_rows = 77;
    open.separator = ';';
    cases.push_back(text_case(name + "_lf", text_of(tables[i], "\n", ',', false), lf));
    cases.push_back(text_case(name + "_crlf", text_of(tables[i], "\r\n", ',', false), crlf));
    cases.push_back(text_case(name + "_open", text_of(tables[i], "\n", ';', true), open));
  }
  TableOptions values, typed;
  values.keep_text = false;
  typed.name_row = NameRow::yes;
  typed.schema = {{"when", DType::time, 0}, {"what", DType::text, 0}, {"much", DType::f32, 2}};
  cases.push_back(text_case("values_only", "a,b\n1.50,x\n2.5,y\n+3,z\n", values));
  cases.back().comes_back = false;
  cases.push_back(text_case("schema", "w,x,y\n2024-01-02,a,1.25\n2024-01-03,b,NA\n", typed));
  cases.push_back(text_case("malformed_only", "a,b\n1,2\n3,4,5\n\n6\n", {.segment_rows = 1}));
  cases.push_back(text_case("names_only", "a,b\n", {.name_row = NameRow::yes}));
  cases.push_back(text_case("empty", "", {}));
  cases.push_back(text_case("gpu", text_of(tables[3], "\n", ',', false), {}, {.profile = Profile::gpu}));
  cases.push_back(text_case("parts", text_of_two_kinds(), {}));
  cases.push_back(text_case("base_columns", csv_of_related_columns(1100), {}));
  add_compact_cases(cases, tables, typed);
  add_text_cases(cases, typed);
  const std::string without_zeros = text_of(table_without_zeros(), "\n", ',', false);
  cases.push_back(text_case("without_zeros", without_zeros, {.segment_rows = 100}));
  cases.push_back(text_case("compact_without_zeros", without_zeros, {}, {.goal = Goal::ratio}));
  return cases;
}

}  // namespace floe::test::golden
