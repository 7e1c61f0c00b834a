// The table of the thesis's option -g, as CSV text.
#include "research/generated_table.hpp"

#include <string>

#include "research/generators.hpp"
#include "rows/cells/cell_text.hpp"

namespace floe::research {
namespace {

constexpr std::int64_t first_time = 1454284800;  // 2016-02-01
constexpr std::uint64_t piece_rows = 8192;

}  // namespace

Schema generated_schema() {
  return {{"TIME", DType::time, 0},           {"PATTERN_A_INT", DType::i32, 0},
          {"PATTERN_B_INT", DType::i32, 0},   {"FLOAT_PREC_4", DType::f32, 6},
          {"PATTERN_A_FLOAT", DType::f32, 6}, {"PATTERN_B_FLOAT", DType::f32, 6}};
}

Status generate_table(std::uint64_t row_count, const Sink& sink) {
  try {
    PatternA<std::int32_t> pattern_a_int(0, 10, 10, 0, 1000000);
    PatternB<std::int32_t> pattern_b_int(0, 100000, 0, 1000000, 1);
    Decimals decimals(4, 2);
    PatternA<float> pattern_a_float(0, 10, 0.01F, 0, 1000);
    PatternB<float> pattern_b_float(0, 1000000, 0, 10000000, 3);
    TimeSeries times(first_time, 0.05, 4);
    const container::FloatFormat six_digits{container::FloatStyle::fixed, 6};
    std::string text = "TIME,PATTERN_A_INT,PATTERN_B_INT,FLOAT_PREC_4,PATTERN_A_FLOAT,PATTERN_B_FLOAT\n";
    char cell[rows::longest_float_bytes];
    const auto put = [&](const char* end, char separator) {
      text.append(cell, static_cast<std::size_t>(end - cell));
      text += separator;
    };
    for (std::uint64_t row = 0; row < row_count; ++row) {
      put(rows::print_time(cell, times.next(), {container::TimeLayout::ctime}), ',');
      text += std::to_string(pattern_a_int.next()) + ',';
      text += std::to_string(pattern_b_int.next()) + ',';
      put(rows::print_float(cell, decimals.next(), six_digits), ',');
      put(rows::print_float(cell, pattern_a_float.next(), six_digits), ',');
      put(rows::print_float(cell, pattern_b_float.next(), six_digits), '\n');
      if ((row + 1) % piece_rows != 0) continue;
      if (const Status status = sink(std::as_bytes(std::span(text))); !status.ok()) return status;
      text.clear();
    }
    return sink(std::as_bytes(std::span(text)));
  } catch (const std::bad_alloc&) {
    return {ErrorCode::out_of_memory, 0, "no memory for the text"};
  }
}

}  // namespace floe::research
