#include "help_texts.hpp"

namespace floe::cli {
namespace {

constexpr const char* array_help =
    "Type and shape come from --dtype and --shape, else from the header of an .npy file, else from names "
    "such as\n"
    "x_f32_26x1800x3600.bin, NAME_26_1800_3600.f32 or x.f64; everything else is stored as plain bytes (u8).\n"
    "Types: f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64. Elements are little-endian. Every bit comes "
    "back.\n";

constexpr const char* size_help =
    "SIZE is a number of bytes, or a number followed by K, M or G (powers of 1024).\n";

}  // namespace

HelpText main_help() {
  return {"floe: lossless compression of numeric arrays",
          "floe [OPTIONS] [FILE...]\n"
          "       floe COMMAND [OPTIONS] [FILE...]      (floe COMMAND --help says more)\n\n"
          "Compresses each FILE to FILE.floe and keeps FILE. No FILE, or -, is standard input and goes to "
          "standard output.\n\n"
          "Commands:\n"
          "  compress                 What floe does without a command\n"
          "  decompress               As floe -d\n"
          "  test                     As floe -t\n"
          "  list                     As floe -l\n"
          "  inspect                  Say all about compressed files\n"
          "  codecs                   List the codecs and the types that they take\n"
          "  bench                    Measure ratio and speed of the codecs on files\n"
          "  series                   Tables of time series: CSV and binary records (floe series --help)",
          std::string(array_help) + size_help +
              "\nExit codes: 0 all is well, 1 error, 2 wrong usage, 3 damaged file, 4 verification failed;\n"
              "with several files the largest of theirs.\n"
              "\nExamples:\n"
              "  floe temperature_f32_26x1800x3600.bin        write temperature_f32_26x1800x3600.bin.floe\n"
              "  floe --dtype f64 --shape 1143x1018 --goal ratio orbit.dat\n"
              "  floe -d orbit.dat.floe                       write orbit.dat again\n"
              "  floe -d --slice 5000:100 -o part.f64 orbit.dat.floe\n"
              "  floe --verify --rm *.npy                     replace files by compressed ones that were "
              "read back\n"
              "  generate | floe --dtype f32 > run.floe\n"};
}

HelpText help_of(Command command) {
  switch (command) {
    case Command::compress:
      return {"floe compress: writes FILE.floe for each FILE and keeps FILE",
              "floe compress [OPTIONS] [FILE...]",
              std::string(array_help) + size_help +
                  "\nExamples:\n"
                  "  floe compress --dtype f32 --shape 26x1800x3600 model.dat\n"
                  "  floe compress --codec gfc --dim 8 -o orbit.floe orbit.f64\n"};
    case Command::decompress:
      return {"floe decompress: writes FILE for each FILE.floe, and keeps FILE.floe",
              "floe decompress [OPTIONS] [FILE...]",
              std::string(size_help) +
                  "\nExamples:\n"
                  "  floe decompress orbit.f64.floe\n"
                  "  floe decompress -c orbit.f64.floe | program\n"
                  "  floe decompress --slice 5000:100 -o part.f64 orbit.f64.floe\n"};
    case Command::test:
      return {"floe test: decodes FILE.floe and checks every part of it, and writes nothing",
              "floe test [OPTIONS] [FILE...]", size_help};
    case Command::list:
      return {"floe list: one line per compressed file", "floe list [OPTIONS] FILE...", ""};
    case Command::inspect:
      return {"floe inspect: says all that compressed files say about themselves",
              "floe inspect [OPTIONS] FILE...", ""};
    case Command::codecs:
      return {"floe codecs: lists the codecs and the types that they take", "floe codecs [OPTIONS]", ""};
    case Command::bench:
      return {
          "floe bench: measures ratio and speed of the codecs on files, in memory, and checks that every bit "
          "comes back",
          "floe bench [OPTIONS] FILE...",
          std::string("Medians, with the range in parentheses. The last lines are what memory can do: the "
                      "same threads read the same "
                      "array, and copy\n"
                      "it past the caches and with memcpy, in the same runs.\n") +
              array_help + size_help +
              "\nExamples:\n"
              "  floe bench orbit.f64\n"
              "  floe bench --codec spspeed,spratio --threads 1,2 --size 8M,256M --json *.f32\n"};
  }
  return {};
}

}  // namespace floe::cli
