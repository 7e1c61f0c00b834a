// Tables are told from prose, source code, JSON and binary data.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "floe/floe.hpp"

namespace floe {
namespace {

bool is_table(const std::string& text) {
  return recognize_text(std::as_bytes(std::span(text))) == TextKind::table;
}

/// `line` with every N replaced by a number, `count` times.
std::string lines_of(const std::string& line, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    for (const char c : line) text += c == 'N' ? std::to_string(i * 37 % 1000) : std::string(1, c);
    text += '\n';
  }
  return text;
}

TEST(RecognizeText, Tables) {
  EXPECT_TRUE(is_table("time,value\n" + lines_of("N,N.5", 20)));
  EXPECT_TRUE(is_table("a,b\n1,2\n"));
  EXPECT_TRUE(is_table("a;b\r\n1,5;x\r\n2,25;y\r\n"));
  EXPECT_TRUE(is_table(lines_of("name\tN\tN", 5)));
  EXPECT_TRUE(is_table(lines_of("2016-02-01 00:00:00|on", 5)));
  EXPECT_TRUE(is_table("# a comment\n\n" + lines_of("N, N, N", 10)));
  EXPECT_TRUE(is_table("name,note\n" + lines_of("\"Smith, John\",N", 9)));
  EXPECT_TRUE(is_table("t\n" + lines_of("N", 10)));
  EXPECT_TRUE(is_table(lines_of("-N.25e-3", 10)));
}

TEST(RecognizeText, TablesWithFewMalformedRows) {
  EXPECT_TRUE(is_table(lines_of("N,N,x", 30) + "1,2\n"));
  EXPECT_FALSE(is_table(lines_of("N,N,x", 30) + lines_of("N,x", 10)));
}

TEST(RecognizeText, TablesOfTextsHaveManyEqualLines) {
  EXPECT_TRUE(is_table(lines_of("city,country,river", 20)));
  EXPECT_FALSE(is_table(lines_of("city,country,river", 5)));
  EXPECT_FALSE(is_table(lines_of("city,country,river", 20) + "one line, that is prose, and has, more\n"));
  EXPECT_FALSE(is_table(lines_of("call(one, two, three);", 20)));
  EXPECT_FALSE(is_table(lines_of("    \"key\", other, more", 20)));
}

TEST(RecognizeText, LongTextsEndInTheMiddleOfALine) {
  std::string text = "a,b,c\n" + lines_of("N,N.5,N", 20000);
  EXPECT_TRUE(is_table(text));
  EXPECT_TRUE(is_table(text.substr(0, (64 << 10) + 3)));
  EXPECT_TRUE(is_table(text.substr(0, text.size() - 1)));
}

TEST(RecognizeText, Prose) {
  EXPECT_FALSE(is_table(""));
  EXPECT_FALSE(is_table("\n\n\n"));
  EXPECT_FALSE(is_table("word"));
  EXPECT_FALSE(
      is_table("Call me Ishmael. Some years ago, never mind how long precisely,\n"
               "having little or no money in my purse, and nothing particular\n"
               "to interest me on shore, I thought I would sail about a little, see 7\n"
               "seas, and the watery part of the world.\n"));
  EXPECT_FALSE(is_table(lines_of("- an item with N words", 40)));
  EXPECT_FALSE(is_table(lines_of("Roses are red,", 40)));
}

TEST(RecognizeText, SourceCode) {
  EXPECT_FALSE(is_table(lines_of("int variable_N = N;", 40)));
  EXPECT_FALSE(is_table(lines_of("  FIRST_N,", 40)));
  EXPECT_FALSE(is_table("#include <a>\nint main() {\n  return f(1, 2);\n}\n"));
  EXPECT_FALSE(is_table(lines_of("\tmov eax, ebx ; N", 40)));
  EXPECT_FALSE(is_table(lines_of("key_N = \"value, and more\"", 40)));
}

TEST(RecognizeText, Json) {
  EXPECT_FALSE(is_table(lines_of("{\"a\":N,\"b\":[1,N,3]}", 40)));
  EXPECT_FALSE(is_table("{\n" + lines_of("  \"key N\": N,", 40) + "}\n"));
  EXPECT_FALSE(is_table("[\n" + lines_of("  [N, N, N],", 40) + "]\n"));
  EXPECT_FALSE(is_table("<table>\n" + lines_of("<td>1,N,3</td>", 40)));
}

TEST(RecognizeText, BinaryData) {
  std::string text = lines_of("N,N", 40);
  text[50] = '\0';
  EXPECT_FALSE(is_table(text));
  text[50] = '\x1b';
  EXPECT_FALSE(is_table(text));
}

}  // namespace
}  // namespace floe
