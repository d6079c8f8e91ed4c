#include "tests/fuzz/target.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace aaren::fuzz {

void RunAnswer(absl::string_view bytes);
void RunConfig(absl::string_view bytes);
void RunCsv(absl::string_view bytes);
void RunFrames(absl::string_view bytes);
void RunMessage(absl::string_view bytes);
void RunPackage(absl::string_view bytes);
void RunPageToken(absl::string_view bytes);
void RunReply(absl::string_view bytes);
void RunRoster(absl::string_view bytes);
void RunRow(absl::string_view bytes);
void RunSnapshot(absl::string_view bytes);
void RunStoredHeader(absl::string_view bytes);
void RunTime(absl::string_view bytes);
void RunTraceparent(absl::string_view bytes);
void RunWebToken(absl::string_view bytes);

absl::Span<const Target> Targets() {
  static constexpr Target kTargets[] = {{"answer", RunAnswer},
                                        {"config", RunConfig},
                                        {"csv", RunCsv},
                                        {"frames", RunFrames},
                                        {"message", RunMessage},
                                        {"package", RunPackage},
                                        {"page_token", RunPageToken},
                                        {"reply", RunReply},
                                        {"roster", RunRoster},
                                        {"row", RunRow},
                                        {"snapshot", RunSnapshot},
                                        {"stored_header", RunStoredHeader},
                                        {"time", RunTime},
                                        {"traceparent", RunTraceparent},
                                        {"web_token", RunWebToken}};
  return kTargets;
}

void Must(bool holds, absl::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", std::string(what).c_str());
  std::abort();
}

}  // namespace aaren::fuzz
