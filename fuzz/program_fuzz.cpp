// Does the program take any arguments, any header of NumPy and any name of a file without harm?
#include "input/npy_header.hpp"

#include "arguments/arguments.hpp"
#include "floe/floe.hpp"
#include "fuzz/support.hpp"
#include "input/array_description.hpp"

namespace floe::fuzz {
namespace {

void parse_any_arguments(Input input) {
  static constexpr const char* words[] = {"compress", "-d",      "-l",     "--codec",  "--goal",    "--dtype",
                                          "f32",      "--shape", "3x4",    "-o",       "x",         "-c",
                                          "-T",       "--csv",   "series", "--memory", "--segment", "--json",
                                          "bench",    "recover", "-"};
  std::vector<std::string> arguments;
  const Bytes bytes = input.rest();
  std::string word;
  for (const std::uint8_t byte : bytes) {
    if (byte != '\n' && byte < 0xE0) {
      word += static_cast<char>(byte);
      continue;
    }
    if (!word.empty() || byte == '\n') arguments.push_back(word);
    word.clear();
    if (byte >= 0xE0) arguments.emplace_back(words[byte % std::size(words)]);
  }
  arguments.push_back(word);
  try {
    static_cast<void>(cli::parse_arguments(arguments));
  } catch (const std::exception&) {  // with what is wrong, or the help
  }
}

/// What is taken for a header lies in the bytes, and its shape is one that its reader can trust.
void parse_any_header(Bytes bytes, bool make_magic) {
  count_decoded();
  constexpr std::uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  if (make_magic && bytes.size() >= 10) {
    std::copy(std::begin(magic), std::end(magic), bytes.begin());
    bytes[8] = static_cast<std::uint8_t>(bytes.size() - 10);
    bytes[9] = static_cast<std::uint8_t>((bytes.size() - 10) >> 8);
  }
  const auto begin = std::as_bytes(std::span(bytes));
  if (!cli::begins_as_npy(begin)) return;
  const cli::NpyHeader header = cli::parse_npy_header(begin);
  require(!header.problem.empty() || (header.header_bytes >= 10 && header.header_bytes <= bytes.size()));
  try {
    const auto array = cli::describe_array({}, "x.npy", begin, bytes.size());
    require(array.prefix_bytes <= bytes.size());
    if (const auto expected = array.expected_bytes()) require(*expected <= bytes.size());
  } catch (const std::exception&) {  // an array that the bytes do not hold
  }
}

void parse_any_name(const Bytes& bytes) {
  const std::string name(bytes.begin(), bytes.end());
  static_cast<void>(cli::hint_of_name(name));
  try {
    static_cast<void>(cli::describe_array({}, name, {}, 1 << 20));
  } catch (const std::exception&) {
  }
}

void run_program(Input input) {
  const auto choice = input.take<std::uint8_t>();
  if (choice % 3 == 0) return parse_any_arguments(input);
  if (choice % 3 == 1) return parse_any_name(input.rest());
  with_changes(input.rest(), 8, [&](const Bytes& bytes) { parse_any_header(bytes, choice % 2 == 0); });
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_program({data, size});
  return 0;
}
