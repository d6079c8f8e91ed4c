// aaren sessions: lists, copies and moves the sessions of a server from the command line.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aaren/client/sessions.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/commands/command.h"
#include "client/cli/commands/pages.h"
#include "client/cli/commands/service_error.h"
#include "client/cli/commands/sessions/session_table.h"
#include "client/cli/commands/sessions/snapshot_file.h"
#include "client/cli/flags/connection_flags.h"
#include "client/cli/terminal/json.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

// The largest page that a server gives.
constexpr uint32_t kPage = 1000;

// An invocation of the command.
class SessionsCommand {
 public:
  int Run(Arguments arguments);

 private:
  struct Verb {
    const char* name;
    std::vector<std::string> operands;
    const char* help;
    int (SessionsCommand::*run)();
  };
  static const std::vector<Verb>& Verbs();
  command_line::Flags Table();

  int List();
  int Get();
  int Delete();
  int Evict();
  int Export();
  int Import();
  int Fork();
  int Move();
  int Migrate();

  int FailAsked(const absl::Status& status) const;
  int Show(const absl::StatusOr<client::SessionInfo>& session) const;

  ConnectionFlags connection_;
  client::ServiceOptions server_;
  std::string output_, input_, prefix_, to_, model_;
  bool replace_ = false, json_ = false;
  std::string verb_;
  std::vector<std::string> operands_;
  std::unique_ptr<client::Sessions> sessions_;
};

// True if two servers describe the same session. Each store counts its own epochs: equal epochs alone do not prove it.
bool IsTheSame(const client::SessionInfo& session, const absl::StatusOr<client::SessionInfo>& other) {
  return other.ok() && other->epoch == session.epoch && other->incarnation == session.incarnation &&
         other->next_seq == session.next_seq &&
         absl::AbsDuration(other->last_active - session.last_active) < absl::Minutes(1);
}

// An export has the newest state alone, and not the save that a client behind would go back to.
absl::Status ClientIsBehind(const client::SessionInfo& session) {
  return absl::FailedPreconditionError(
      absl::StrCat("its client has not had the forecasts of rows ", session.delivered_seq, " .. ", session.next_seq - 1,
                   ", which only the session as it is can make again: let it go on first. export and import take "
                   "the session away without them"));
}

int SessionsCommand::FailAsked(const absl::Status& status) const {
  std::vector<std::string> asked = {"sessions", verb_};
  asked.insert(asked.end(), operands_.begin(), operands_.end());
  return Fail(ServiceError(absl::StrJoin(asked, " "), server_.target, status));
}

int SessionsCommand::Show(const absl::StatusOr<client::SessionInfo>& session) const {
  if (!session.ok()) return FailAsked(session.status());
  if (json_) return absl::PrintF("%s\n", SessionJson(*session)), kSuccess;
  PrintSessionHeader();
  PrintSession(*session);
  return kSuccess;
}

int SessionsCommand::List() {
  if (!json_) PrintSessionHeader();
  const auto ask = [this](const std::string& page_token) {
    return sessions_->List({.prefix = prefix_, .page_size = kPage, .page_token = page_token});
  };
  const auto key = [](const client::SessionInfo& session) { return session.id; };
  const absl::Status status = ForEachEntry(
      server_.target, &client::SessionPage::sessions, ask, key, [this](const client::SessionInfo& session) {
        json_ ? (void)absl::PrintF("%s\n", SessionJson(session)) : PrintSession(session);
      });
  return status.ok() ? kSuccess : FailAsked(status);
}

int SessionsCommand::Get() { return Show(sessions_->Get(operands_[0])); }

int SessionsCommand::Delete() {
  const absl::Status deleted = sessions_->Delete(operands_[0]);
  if (!deleted.ok()) return FailAsked(deleted);
  std::string line = absl::StrCat("deleted ", operands_[0]);
  if (json_) {
    line.clear();
    JsonObject(line).Add("session_id", operands_[0]).Add("deleted", true).Close();
  }
  PrintLine(line);
  return kSuccess;
}

int SessionsCommand::Evict() {
  const absl::Status evicted = sessions_->Evict(operands_[0]);
  if (!evicted.ok()) return FailAsked(evicted);
  std::string line = absl::StrCat("evicted ", operands_[0]);
  if (json_) {
    line.clear();
    JsonObject(line).Add("session_id", operands_[0]).Add("evicted", true).Close();
  }
  PrintLine(line);
  return kSuccess;
}

int SessionsCommand::Export() {
  if (output_.empty()) return FailUsage("sessions", absl::InvalidArgumentError("export needs --output=FILE"));
  const auto exported = sessions_->Export(operands_[0]);
  if (!exported.ok()) return FailAsked(exported.status());
  const absl::Status written = WriteSnapshot(output_, exported->bytes);
  if (!written.ok()) return Fail(written);
  std::string line = absl::StrCat("wrote ", operands_[0], " as of token ", exported->next_seq, " to ", output_, ", ",
                                  exported->bytes.size(), " bytes");
  if (json_) {
    line.clear();
    JsonObject object(line);
    object.Add("session_id", operands_[0]).Add("next_seq", exported->next_seq).Add("output", output_);
    object.Add("bytes", exported->bytes.size()).Close();
  }
  PrintLine(line);
  return kSuccess;
}

int SessionsCommand::Import() {
  if (input_.empty()) return FailUsage("sessions", absl::InvalidArgumentError("import needs --input=FILE"));
  const absl::StatusOr<std::string> snapshot = ReadSnapshot(input_);
  if (!snapshot.ok()) return Fail(snapshot.status());
  const auto mode = replace_ ? client::ImportMode::kReplace : client::ImportMode::kCreate;
  return Show(sessions_->Import(operands_[0], *snapshot, mode));
}

int SessionsCommand::Fork() { return Show(sessions_->Fork(operands_[0], operands_[1])); }

// Moves between two servers with stores of their own. The session is in both places until deleted here, and nobody may
// open it here meanwhile. A failure, or a kill, leaves a session too many and never none. Servers with a common store
// need no move.
int SessionsCommand::Move() {
  if (to_.empty()) return FailUsage("sessions", absl::InvalidArgumentError("move needs --to=HOST:PORT"));
  const std::string& id = operands_[0];
  const auto seen = sessions_->Get(id);
  if (!seen.ok()) return FailAsked(seen.status());
  if (seen->attached) return FailAsked(absl::FailedPreconditionError("a stream has the session open: end it first"));
  if (seen->delivered_seq < seen->next_seq) return FailAsked(ClientIsBehind(*seen));
  const auto exported = sessions_->Export(id);
  if (!exported.ok()) return FailAsked(exported.status());
  client::ServiceOptions there = server_;
  there.target = to_;
  const client::Sessions target(there);
  const auto imported = target.Import(id, exported->bytes);
  // With a common store the session to delete would be the session that was moved.
  if (absl::IsAlreadyExists(imported.status()) && IsTheSame(*seen, target.Get(id))) {
    return FailAsked(absl::FailedPreconditionError(absl::StrCat(
        "it is at ", to_, " already: the two servers share their store, and a client may open it at either")));
  }
  if (!imported.ok()) return Fail(ServiceError(absl::StrCat("sessions import ", id), to_, imported.status()));
  const absl::Status deleted = sessions_->DeleteUnused(*seen);
  if (absl::IsAborted(deleted)) (void)target.DeleteUnused(*imported);  // opened here meanwhile: the session stays here
  if (!deleted.ok()) return FailAsked(deleted);
  return Show(imported);
}

int SessionsCommand::Migrate() {
  if (model_.empty()) return FailUsage("sessions", absl::InvalidArgumentError("migrate needs --model=NAME"));
  const auto seen = sessions_->Get(operands_[0]);
  if (!seen.ok()) return FailAsked(seen.status());
  if (!seen->attached && seen->delivered_seq < seen->next_seq) return FailAsked(ClientIsBehind(*seen));
  return Show(sessions_->Migrate(*seen, model_));
}

const std::vector<SessionsCommand::Verb>& SessionsCommand::Verbs() {
  static const auto* const verbs =
      new std::vector<Verb>{{"list", {}, "all sessions", &SessionsCommand::List},
                            {"get", {"ID"}, "one session", &SessionsCommand::Get},
                            {"delete", {"ID"}, "forgets it", &SessionsCommand::Delete},
                            {"export", {"ID"}, "writes it to --output=FILE", &SessionsCommand::Export},
                            {"import", {"ID"}, "makes it of --input=FILE", &SessionsCommand::Import},
                            {"fork", {"ID", "NEW_ID"}, "copies it", &SessionsCommand::Fork},
                            {"move", {"ID"}, "takes it to the server --to", &SessionsCommand::Move},
                            {"migrate", {"ID"}, "goes on with the model --model", &SessionsCommand::Migrate},
                            {"evict", {"ID"}, "saves it, and it leaves memory", &SessionsCommand::Evict}};
  return *verbs;
}

command_line::Flags SessionsCommand::Table() {
  command_line::Flags flags(
      "aaren sessions list | get ID | delete ID | export ID --output=FILE | import ID --input=FILE | fork ID NEW_ID | "
      "move ID --to=HOST:PORT | migrate ID --model=NAME | evict ID",
      "Shows, copies, moves and deletes the sessions that a server keeps.");
  for (const Verb& verb : Verbs()) flags.AddVerb(verb.name, verb.operands, verb.help);
  flags.RequireVerb();
  flags.Add("json", &json_, "one JSON object a line");
  flags.Add("prefix", &prefix_, "list: only ids that begin with it");
  flags.Add("output", &output_, "export: the file to write");
  flags.Add("input", &input_, "import: the file that export wrote");
  flags.Add("replace", &replace_, "import: take the place of a session of that id");
  flags.Add("to", &to_, "move: the server to take it to, HOST:PORT");
  flags.Add("model", &model_, "migrate: name, name:version or name@label");
  flags.Add("timeout", &server_.timeout, "give up if no answer comes for so long");
  connection_.AddTo(flags);
  return flags;
}

int SessionsCommand::Run(Arguments arguments) {
  absl::StatusOr<command_line::Parsed> parsed = Table().Parse(arguments);
  if (!parsed.ok()) return FailUsage("sessions", parsed.status());
  if (!parsed->answer.empty()) return absl::PrintF("%s", parsed->answer), kSuccess;
  verb_ = parsed->verb;
  operands_ = std::move(parsed->operands);
  absl::StatusOr<client::ChannelOptions> channel = connection_.Channel();
  if (!channel.ok()) return FailUsage("sessions", channel.status());
  server_.target = connection_.target;
  server_.channel = *std::move(channel);
  sessions_ = std::make_unique<client::Sessions>(server_);
  // Parse knows the verbs from the same table, so the search finds one.
  const auto verb = std::find_if(Verbs().begin(), Verbs().end(), [this](const Verb& one) { return one.name == verb_; });
  return (this->*verb->run)();
}

}  // namespace

int RunSessions(Arguments arguments) { return SessionsCommand().Run(arguments); }

}  // namespace aaren::cli
