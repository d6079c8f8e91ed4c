#include "server/store/redis/redis_store.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/store/format/stored_header.h"
#include "server/store/held.h"
#include "server/store/redis/redis_error.h"
#include "server/store/redis/redis_session.h"

namespace aaren::store {
namespace {

// Limits for one script: Redis does nothing else meanwhile.
constexpr size_t kScriptSaves = 64;
constexpr size_t kScriptBytes = 256 << 10;

using Reply = absl::StatusOr<const redisReply*>;

absl::Status WithKey(const std::string& key, const absl::Status& status) {
  if (!absl::IsDataLoss(status)) return status;
  return absl::DataLossError(absl::StrCat("session '", key, "': ", status.message()));
}

absl::Status NotUnderstood() { return absl::UnavailableError("redis has answered what it was not asked"); }

// The answer of a script that compares. `compare` tells from the found header why nothing was written.
template <typename Compare>
WriteResult ParseWritten(const std::string& key, const redisReply& reply, Compare compare) {
  if (reply.type == REDIS_REPLY_INTEGER) return {};
  if (reply.type == REDIS_REPLY_ERROR) return {WithKey(key, FromRedisError(TextOf(reply))), 0};
  if (reply.len == 0) return compare(nullptr);
  const absl::StatusOr<StoredHeader> held = ParseHeader(key, TextOf(reply));
  return held.ok() ? compare(&*held) : WriteResult{held.status(), 0};
}

// A script that wrote nothing had a reason.
WriteResult Refused(WriteResult why) {
  if (why.status.ok()) why.status = NotUnderstood();
  return why;
}

// The answer of an acquisition: everything that the script found.
WriteResult ParseAcquired(const std::string& key, uint64_t held_epoch, const Kept& kept, const redisReply& reply) {
  if (reply.type == REDIS_REPLY_INTEGER) return {};
  const absl::StatusOr<StoredHeader> held = ParseRedisSession(key, {reply.element, reply.elements});
  if (!held.ok() && !absl::IsNotFound(held.status())) return {held.status(), 0};
  WriteResult result = CompareHeld(key, held.ok() ? &*held : nullptr, held_epoch);
  if (!result.status.ok() || !held.ok()) return Refused(std::move(result));
  std::vector<uint64_t> seqs;
  for (const StoredSlot& slot : held->slots) seqs.push_back(slot.point.seq);
  return Refused(CompareKept(*held, seqs, kept));
}

// The first and last key with the prefix, for ZRANGEBYLEX.
std::string FirstWith(const std::string& prefix, const std::string& after) {
  return after < prefix ? absl::StrCat("[", prefix) : absl::StrCat("(", after);
}

std::string PrefixEnd(std::string prefix) {
  // A byte of 255 has no successor: the byte before is raised instead.
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return "+";
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return absl::StrCat("(", prefix);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedisStore>> RedisStore::Open(const RedisOptions& options) {
  if (absl::Status status = CheckRedisOptions(options); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<RedisLink>> link = RedisLink::Open(options);
  if (!link.ok()) return link.status();
  return std::unique_ptr<RedisStore>(new RedisStore(options.prefix, *std::move(link)));
}

RedisStore::RedisStore(const std::string& prefix, std::unique_ptr<RedisLink> link)
    : sessions_(prefix + "session:"), epochs_(prefix + "epochs"), link_(std::move(link)) {}

// Reserves no epochs: the counter is written unchanged.
void RedisStore::TryWrite(Answer<absl::Status> answer) {
  auto end = [answer = std::move(answer)](const Reply& reply) mutable { answer(reply.status()); };
  link_->Post({RedisScript::kEpochs, {epochs_}, {"0"}, {}, std::move(end), {}});
}

void RedisStore::ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) {
  auto end = [this, count, answer = std::move(answer)](const Reply& reply) mutable {
    if (!reply.ok()) return answer(reply.status());
    const auto last = static_cast<uint64_t>((*reply)->integer);
    link_->NoteEpoch(last);
    answer(last - count + 1);
  };
  link_->Post({RedisScript::kEpochs, {epochs_}, {absl::StrCat(count)}, {}, std::move(end), {}});
}

void RedisStore::Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  std::vector<std::string> keys = {KeyOf(key)};
  auto end = [key = std::move(key), answer = std::move(answer)](const Reply& reply) mutable {
    if (!reply.ok()) return answer(WithKey(key, reply.status()));
    const absl::StatusOr<StoredHeader> header = ParseRedisSession(key, {(*reply)->element, (*reply)->elements});
    header.ok() ? answer(WithoutRows(*header)) : answer(header.status());
  };
  link_->Post({{}, std::move(keys), {"HMGET", "h", "s0", "s1"}, {}, std::move(end), {}});
}

void RedisStore::Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  std::vector<std::string> keys = {KeyOf(key)};
  auto end = [key = std::move(key), answer = std::move(answer)](const Reply& reply) mutable {
    if (!reply.ok()) return answer(WithKey(key, reply.status()));
    answer(ParseRedisRecord(key, {(*reply)->element, (*reply)->elements}));
  };
  link_->Post({{}, std::move(keys), {"HGETALL"}, {}, std::move(end), {}});
}

// An existing session takes no more room than before, unless the acquisition brings rows.
void RedisStore::Acquire(Acquisition acquisition, Answer<WriteResult> answer) {
  SessionRecord& record = acquisition.record;
  const bool grows = acquisition.held_epoch == 0 || !record.saves.empty();
  std::vector<std::string> keys = {KeyOf(record.key)};
  std::vector<std::string> arguments = {record.key, ExpectedEpoch(acquisition.held_epoch), KeepOf(acquisition.keep_seq),
                                        KeepOf(acquisition.newest_seq), EncodeRedisHeader(record)};
  for (SavedRows& save : record.saves) {
    arguments.push_back(EncodeRedisSlot(record.epoch, save));
    arguments.push_back(std::move(save.rows));
  }
  auto end = [key = record.key, held_epoch = acquisition.held_epoch,
              kept = Kept{acquisition.keep_seq, acquisition.newest_seq},
              answer = std::move(answer)](const Reply& reply) mutable {
    answer(reply.ok() ? ParseAcquired(key, held_epoch, kept, **reply) : WriteResult{WithKey(key, reply.status()), 0});
  };
  link_->Post({grows ? RedisScript::kCreate : RedisScript::kAcquire,
               std::move(keys),
               std::move(arguments),
               {},
               std::move(end),
               {}});
}

// The saves of one call, done by several scripts.
struct RedisStore::SaveBatch {
  struct Item {
    SessionHeader writer;
    std::string key, field;
    std::array<std::string, 4> arguments;  // for the script, but for the rows
    std::shared_ptr<const std::string> rows;
    WriteResult result;
  };

  static void Add(const Item& item, RedisCall& call) {
    call.keys.push_back(item.key);
    call.arguments.insert(call.arguments.end(), item.arguments.begin(), item.arguments.end());
  }

  void Done(size_t save, WriteResult result) {
    items[save].result = std::move(result);
    // The rows of a done save leave the memory while other scripts of the batch still run.
    items[save].rows.reset();
    if (--left > 0) return;
    std::vector<WriteResult> results;
    results.reserve(items.size());
    for (Item& item : items) results.push_back(std::move(item.result));
    answer(std::move(results));
  }

  std::vector<Item> items;
  size_t left = 0;  // results to come
  Answer<std::vector<WriteResult>> answer;
};

// Puts rows where the script finds them. The call names no keys: rows do not overtake a script that has to wait.
void RedisStore::BringRows(const std::shared_ptr<SaveBatch>& batch, size_t save) {
  const SaveBatch::Item& item = batch->items[save];
  // The reply is not needed: the script answers NOROWS where the HSET was refused.
  link_->Post({{}, {}, {"HSET", item.key, item.field}, item.rows, [](const Reply&) {}, {}});
}

namespace {

const redisReply* ElementOf(const Reply& reply, size_t i) {
  const bool there = reply.ok() && (*reply)->type == REDIS_REPLY_ARRAY && i < (*reply)->elements;
  return there ? (*reply)->element[i] : nullptr;
}

WriteResult ResultOf(const SessionHeader& writer, const redisReply* reply, const absl::Status& status) {
  if (reply == nullptr) return {status.ok() ? NotUnderstood() : status, 0};
  return ParseWritten(writer.key, *reply,
                      [&writer](const SessionHeader* held) { return Refused(CompareWriter(held, writer)); });
}

bool LacksRows(const redisReply* reply) {
  return reply != nullptr && reply->type == REDIS_REPLY_ERROR && absl::StartsWith(TextOf(*reply), "NOROWS");
}

}  // namespace

// Redis has no room for the new rows beside the old rows: the old may go first.
void RedisStore::SaveWithRows(const std::shared_ptr<SaveBatch>& batch, size_t save) {
  RedisCall call{RedisScript::kSave, {}, {}, batch->items[save].rows, {}, {}};
  SaveBatch::Add(batch->items[save], call);
  call.answer = [batch, save](const Reply& reply) {
    batch->Done(save, ResultOf(batch->items[save].writer, ElementOf(reply, 0), reply.status()));
  };
  link_->Post(std::move(call));
}

void RedisStore::Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) {
  if (saves.empty()) return answer({});
  auto batch = std::make_shared<SaveBatch>();
  batch->left = saves.size();
  batch->answer = std::move(answer);
  batch->items.reserve(saves.size());
  for (SaveWrite& write : saves) {
    std::string header = EncodeRedisHeader(write.header);
    SaveBatch::Item& item = batch->items.emplace_back();
    item.key = KeyOf(write.header.key);
    item.arguments = {ExpectedWriter(header), KeepOf(write.keep_seq), std::move(header),
                      EncodeRedisSlot(write.header.epoch, write.save)};
    item.field = RowsField(write.header.epoch, write.save.point.seq);
    item.rows = std::make_shared<const std::string>(std::move(write.save.rows));
    item.writer = std::move(write.header);
  }
  for (size_t begin = 0, end = 0; begin < saves.size(); begin = end) {
    RedisCall call{RedisScript::kSave, {}, {}, {}, {}, {}};
    for (size_t bytes = 0; end < saves.size() && end - begin < kScriptSaves && bytes < kScriptBytes; ++end) {
      bytes += batch->items[end].rows->size();
      BringRows(batch, end);
      SaveBatch::Add(batch->items[end], call);
      call.arguments.emplace_back();  // no rows
    }
    call.answer = [this, batch, begin, end](const Reply& reply) {
      for (size_t i = begin; i < end; ++i) {
        const redisReply* element = ElementOf(reply, i - begin);
        if (LacksRows(element)) {
          SaveWithRows(batch, i);
        } else {
          batch->Done(i, ResultOf(batch->items[i].writer, element, reply.status()));
        }
      }
    };
    link_->Post(std::move(call));
  }
}

void RedisStore::Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) {
  std::vector<std::string> keys = {KeyOf(key)};
  std::vector<std::string> arguments = {key, held_epoch ? ExpectedEpoch(*held_epoch) : "*"};
  auto end = [key = std::move(key), held_epoch, answer = std::move(answer)](const Reply& reply) mutable {
    if (!reply.ok()) return answer({WithKey(key, reply.status()), 0});
    answer(ParseWritten(key, **reply, [&](const SessionHeader* held) {
      return Refused(CompareHeld(key, held, held_epoch.value_or(0)));
    }));
  };
  link_->Post({RedisScript::kDelete, std::move(keys), std::move(arguments), {}, std::move(end), {}});
}

void RedisStore::List(std::string prefix, std::string after, size_t limit,
                      Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) {
  auto end = [answer = std::move(answer)](const Reply& reply) mutable {
    if (!reply.ok()) return answer(reply.status());
    constexpr size_t kFields = 4;
    std::vector<SessionRecord> page;
    for (size_t i = 0; i + kFields <= (*reply)->elements; i += kFields) {
      redisReply* const* fields = (*reply)->element + i;
      const std::string key(TextOf(*fields[0]));
      const absl::StatusOr<StoredHeader> header = ParseRedisSession(key, {fields + 1, kFields - 1});
      page.push_back(header.ok() ? WithoutRows(*header) : SessionRecord());
      page.back().key = key;  // nothing else is known of a damaged session
    }
    answer(std::move(page));
  };
  link_->Post({RedisScript::kList,
               {},
               {FirstWith(prefix, after), PrefixEnd(prefix), absl::StrCat(limit), sessions_},
               {},
               std::move(end),
               {}});
}

}  // namespace aaren::store
