// What holds for every table and choice of options?
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/properties/more_cases.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

/// Cells of columns that are each of one kind, with some of another kind among them.
struct Text {
  std::vector<std::vector<std::string>> rows;
  std::string text;  ///< With a line of names.
  char separator = ',';
};

std::string any_cell(unsigned kind, Random& random, std::uint64_t row) {
  if (random.below(40) == 0) return random.below(2) == 0 ? "" : "NA";
  switch (kind) {
    case 0:
      return std::to_string(row * 60 + random.below(3));
    case 1:
      return std::to_string(random.below(2000)).append(".").append(std::to_string(10 + random.below(90)));
    case 2:
      return std::to_string(random.below(9)).append("e").append(std::to_string(random.below(300)));
    case 3:
      return std::string("2020-01-02 10:00:0").append(std::to_string(random.below(9)));
    case 4:
      return random.below(2) == 0 ? "open" : "\"closed\"";
    case 5:
      return std::string(random.below(6), static_cast<char>('a' + random.below(26)));
    default:
      return std::to_string(random.next());
  }
}

Text any_text() {
  Text made;
  made.separator = *rc::gen::element(',', ';', '\t', '|');
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto columns = *rc::gen::inRange<std::size_t>(2, 7), rows = *rc::gen::inRange<std::size_t>(0, 150);
  std::vector<unsigned> kinds(columns);
  for (unsigned& kind : kinds) kind = static_cast<unsigned>(random.below(7));
  const char* const line_end = *rc::gen::element("\n", "\r\n");
  const auto add_row = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < columns; ++i) {
      if (i != 0) made.text += made.separator;
      made.text += cells[i];
    }
    made.text += line_end;
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns; ++i) names.push_back(std::string("n").append(std::to_string(i)));
  add_row(names);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::string>& cells = made.rows.emplace_back();
    for (const unsigned kind : kinds) cells.push_back(any_cell(kind, random, row));
    add_row(cells);
  }
  return made;
}

TableOptions any_table_options(const Text& text) {
  TableOptions table;
  table.separator = text.separator;
  table.name_row = NameRow::yes;
  table.segment_rows = *rc::gen::inRange<std::uint32_t>(1, 200);
  return table;
}

Options any_options() {
  Options options;
  options.goal = *rc::gen::element(Goal::speed, Goal::balance, Goal::ratio, Goal::max);
  options.profile = *rc::gen::element(Profile::cpu, Profile::gpu);
  options.threads = *rc::gen::inRange<std::uint32_t>(1, 4);
  options.checksum = *rc::gen::arbitrary<bool>();
  return options;
}

RC_GTEST_PROP(TableProperty, TextComesBackByteByByte, ()) {
  const Text text = any_text();
  const TableOptions table = any_table_options(text);
  const Options options = any_options();
  const Bytes frame = table_of(text.text, table, options);
  RC_ASSERT(text_of(decode_restored(frame).content) == text.text);
  const auto piece = *rc::gen::inRange<std::size_t>(1, 3000);
  RC_ASSERT(text_of(decode_stream(frame, [&] { return piece; }).content) == text.text);
  RC_ASSERT(Reader::open(view_of(frame))->info().element_count == text.rows.size());
}

RC_GTEST_PROP(TableProperty, PiecesAndThreadsNeverChangeTheFrame, ()) {
  const Text text = any_text();
  const TableOptions table = any_table_options(text);
  Options options = any_options();
  const Bytes frame = table_of(text.text, table, options);
  options.threads = *rc::gen::inRange<std::uint32_t>(0, 20);
  RC_ASSERT(table_of(text.text, table, options, *rc::gen::inRange<std::size_t>(1, 3000)) == frame);
}

RC_GTEST_PROP(TableProperty, RowsOfTheFrameAreRowsOfTheText, ()) {
  const Text text = any_text();
  const Bytes frame = table_of(text.text, any_table_options(text), any_options());
  const Reader reader = Reader::open(reader_of(frame), frame.size()).value();
  const std::uint64_t first = *rc::gen::inRange<std::uint64_t>(0, text.rows.size() + 1),
                      count = *rc::gen::inRange<std::uint64_t>(0, text.rows.size() - first + 1);
  const std::size_t columns = reader.info().columns.size();
  const std::vector<std::size_t> chosen = {*rc::gen::inRange<std::size_t>(0, columns),
                                           *rc::gen::inRange<std::size_t>(0, columns)};
  const auto texts = reader.read_texts(chosen[0], {first, count}, one_thread);
  RC_ASSERT(static_cast<bool>(texts));
  RC_ASSERT(texts->size() == count);
  std::string expected;
  const auto add_row = [&](const std::string& one, const std::string& other) {
    expected += one;
    expected += text.separator;
    expected += other;
    expected += '\n';
  };
  add_row(reader.info().columns[chosen[0]].name, reader.info().columns[chosen[1]].name);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::vector<std::string>& cells = text.rows[first + i];
    RC_ASSERT((*texts)[i] == cells[chosen[0]]);
    add_row(cells[chosen[0]], cells[chosen[1]]);
  }
  Bytes printed;
  RC_ASSERT(reader.print_rows(chosen, {first, count}, sink_to(printed), one_thread).ok());
  RC_ASSERT(text_of(printed) == expected);
}

RC_GTEST_PROP(TableProperty, SliceOfAColumnIsSliceOfItsValues, ()) {
  Schema schema;
  std::vector<Bytes> values;
  std::vector<const void*> pointers;
  const auto rows = *rc::gen::inRange<std::uint64_t>(0, 400);
  const auto columns = *rc::gen::inRange<std::size_t>(1, 9);
  for (std::size_t i = 0; i < columns; ++i) {
    const DType type = *rc::gen::elementOf(all_dtypes);
    schema.push_back({std::to_string(i), type, 0});
    values.push_back(make_bytes(static_cast<unsigned>(8 * size_of(type)),
                                *rc::gen::inRange<std::size_t>(0, content_names().size()),
                                rows * size_of(type), *rc::gen::arbitrary<std::uint64_t>()));
  }
  for (const Bytes& column : values) pointers.push_back(column.data());
  TableOptions table;
  table.segment_rows = *rc::gen::inRange<std::uint32_t>(1, 300);
  const Bytes frame = columns_frame(pointers, rows, schema, table, any_options());
  const Reader reader = Reader::open(reader_of(frame), frame.size()).value();
  const std::uint64_t first = *rc::gen::inRange<std::uint64_t>(0, rows + 1),
                      count = *rc::gen::inRange<std::uint64_t>(0, rows - first + 1);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t word = size_of(schema[i].type);
    Bytes out(count * word);
    std::vector<std::uint8_t> valid(count);
    RC_ASSERT(reader.read_values(i, {first, count}, room_of(out), valid, one_thread).ok());
    RC_ASSERT(
        std::equal(out.begin(), out.end(), values[i].begin() + static_cast<std::ptrdiff_t>(first * word)));
    RC_ASSERT(std::count(valid.begin(), valid.end(), 1) == static_cast<std::ptrdiff_t>(count));
  }
}

}  // namespace
}  // namespace floe::test
