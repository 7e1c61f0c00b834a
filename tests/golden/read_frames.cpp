// What does the library make of frames? read_frames FILE...: a line for each, with the SHA-256 of its content
// or the name of the error. compare_decoders.py holds the reference decoder against it.
#include <fstream>
#include <iostream>
#include <iterator>

#include "tests/golden/golden_case.hpp"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto content = floe::test::restored(std::as_bytes(std::span(text)));
    std::cout << (content ? floe::test::Sha256::hex(*content) : name_of(content.status().code)) << '\n';
  }
  return 0;
}
