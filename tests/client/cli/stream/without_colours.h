#ifndef AAREN_TESTS_CLIENT_CLI_STREAM_WITHOUT_COLOURS_H_
#define AAREN_TESTS_CLIENT_CLI_STREAM_WITHOUT_COLOURS_H_

#include <string>

namespace aaren::cli {

// The text that a terminal shows, without its colours.
inline std::string WithoutColours(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace aaren::cli

#endif  // AAREN_TESTS_CLIENT_CLI_STREAM_WITHOUT_COLOURS_H_
