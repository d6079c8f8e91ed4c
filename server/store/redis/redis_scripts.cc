#include "server/store/redis/redis_scripts.h"

#include "absl/strings/str_cat.h"

namespace aaren {
namespace {

constexpr char kWrites[] = "#!lua";
constexpr char kWritesInLittle[] = "#!lua flags=allow-oom";  // also while there is no room
constexpr char kReads[] = "#!lua flags=no-writes";

constexpr char kCheckFence[] = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return redis.error_reply('FENCED it has forgotten this connection: it lost data, or there is a later connection')
end
)";

// held: h, s0, s1. Puts the header, and the saves into the slots that are free when the one to keep stays: of each,
// ARGV[at] on has the slot, and KEYS[staged] on the rows. Keep is what a slot has behind its first byte: the seq. Bytes
// of seqs are compared one by one: Lua's own comparison of strings follows the locale.
constexpr char kPut[] = R"(
local function is_above(a, b)
  for i = 8, 1, -1 do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x > y end
  end
  return false
end
local function rows_key(key, slot) return key .. '\0' .. slot end
local function put(key, held, keep, header, at, staged, saves)
  local used = {}
  for slot = 0, 1 do
    local known = held[slot + 2]
    used[slot] = known and keep ~= '' and string.sub(known, 2, 9) == keep
  end
  local fields = {'h', header}
  for i = 0, saves - 1 do
    local slot = used[0] and 1 or 0
    used[slot] = true
    local moved = redis.pcall('RENAME', KEYS[staged + i], rows_key(key, slot))
    if moved.err then return moved end
    redis.call('PERSIST', rows_key(key, slot))
    fields[#fields + 1] = 's' .. slot
    fields[#fields + 1] = ARGV[at + i]
  end
  redis.call('HSET', key, unpack(fields))
  for slot = 0, 1 do
    if held[slot + 2] and not used[slot] then
      redis.call('HDEL', key, 's' .. slot)
      redis.call('DEL', rows_key(key, slot))
    end
  end
  return 1
end
)";

// Epochs follow the time in microseconds, and so never begin again: whatever Redis has lost, those that it gives out
// now are larger than those of before. Numbers of Lua are exact up to 2^53.
constexpr char kEpochs[] = R"(
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('GET', KEYS[3]) or '0')
if last < now then redis.call('SET', KEYS[3], string.format('%.0f', now)) end
return redis.call('INCRBY', KEYS[3], ARGV[2])
)";

// The save to keep must be there, and the newest must be the one that was loaded: since then another server may have
// saved, and told its client so. 0 stands for the empty row, too, which counts unless the first save is durable.
constexpr char kAcquire[] = R"(
local function delivered_seq(header)
  local at = 18
  for _ = 1, 3 do
    local low, high = string.byte(header, at, at + 1)
    at = at + 2 + low + 256 * high
  end
  return string.sub(header, at + 8, at + 15)
end
local function newest_seq(held)
  local newest = string.rep('\0', 8)
  for slot = 2, 3 do
    local seq = held[slot] and string.sub(held[slot], 2, 9)
    if seq and is_above(seq, newest) then newest = seq end
  end
  return newest
end
local function is_kept(held, keep)
  local first
  for slot = 2, 3 do
    local seq = held[slot] and string.sub(held[slot], 2, 9)
    if seq == keep then return true end
    if seq and (not first or is_above(first, seq)) then first = seq end
  end
  return keep == string.rep('\0', 8) and (not first or is_above(first, delivered_seq(held[1])))
end
local held = redis.call('HMGET', KEYS[3], 'h', 's0', 's1')
local expected, keep, newest = ARGV[3], ARGV[4], ARGV[5]
if held[1] then
  if expected == '' or string.sub(held[1], 1, #expected) ~= expected then return held end
  if keep ~= '' and not is_kept(held, keep) then return held end
  if newest ~= '' and newest_seq(held) ~= newest then return held end
elseif expected ~= '' then
  return held
end
for i = 4, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 0 then return redis.error_reply('ERR no such key') end
end
local done = put(KEYS[3], held, keep, ARGV[6], 7, 4, #KEYS - 3)
redis.call('ZADD', KEYS[2], 0, ARGV[2])
return done
)";

// A Redis that has gone back a little may have lost the save to keep: then the newest before it stays.
constexpr char kSave[] = R"(
local function keepable(held, keep)
  local best = ''
  for slot = 2, 3 do
    local seq = held[slot] and string.sub(held[slot], 2, 9)
    if seq and keep ~= '' and not is_above(seq, keep) and (best == '' or is_above(seq, best)) then best = seq end
  end
  return best == '' and keep or best
end
local results = {}
for i = 3, #KEYS, 2 do
  local at = 2 * i - 4
  local expected = ARGV[at]
  local held = redis.pcall('HMGET', KEYS[i], 'h', 's0', 's1')
  if held.err then
    results[#results + 1] = held
  elseif not held[1] or string.sub(held[1], 1, #expected) ~= expected then
    redis.call('DEL', KEYS[i + 1])
    results[#results + 1] = held[1] or ''
  else
    results[#results + 1] = put(KEYS[i], held, keepable(held, ARGV[at + 1]), ARGV[at + 2], at + 3, i + 1, 1)
  end
end
return results
)";

constexpr char kDelete[] = R"(
local expected = ARGV[3]
if expected ~= '*' then
  local held = redis.call('HGET', KEYS[3], 'h')
  if not held and expected ~= '' then return '' end
  if held and (expected == '' or string.sub(held, 1, #expected) ~= expected) then return held end
end
redis.call('DEL', KEYS[3], KEYS[3] .. '\0' .. 0, KEYS[3] .. '\0' .. 1)
redis.call('ZREM', KEYS[2], ARGV[2])
return 1
)";

// Keys of the set without a session are left out.
constexpr char kList[] = R"(
local from, to, left = ARGV[2], ARGV[3], tonumber(ARGV[4])
local page = {}
while left > 0 do
  local asked = left
  local members = redis.call('ZRANGEBYLEX', KEYS[2], from, to, 'LIMIT', 0, asked)
  for _, member in ipairs(members) do
    local held = redis.pcall('HMGET', ARGV[5] .. member, 'h', 's0', 's1')
    if held.err or held[1] or held[2] or held[3] then
      page[#page + 1] = member
      for i = 1, 3 do page[#page + 1] = not held.err and held[i] end
      left = left - 1
    end
  end
  if #members < asked then break end
  from = '(' .. members[#members]
end
return page
)";

// Only a later connection may take the place of one.
constexpr char kHello[] = R"(
local fence = redis.call('GET', KEYS[1])
if not fence or tonumber(fence) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4]) end
local identity = redis.call('GET', KEYS[3])
if not identity then
  identity = ARGV[2]
  redis.call('SET', KEYS[3], identity)
end
if tonumber(redis.call('GET', KEYS[4]) or '0') < tonumber(ARGV[3]) then redis.call('SET', KEYS[4], ARGV[3]) end
return {identity, fence or ''}
)";

}  // namespace

std::string TextOfScript(RedisScript script) {
  switch (script) {
    case RedisScript::kEpochs:
      return absl::StrCat(kWritesInLittle, kCheckFence, kEpochs);
    case RedisScript::kAcquire:
      return absl::StrCat(kWrites, kCheckFence, kPut, kAcquire);
    case RedisScript::kSave:
      return absl::StrCat(kWrites, kCheckFence, kPut, kSave);
    case RedisScript::kDelete:
      return absl::StrCat(kWritesInLittle, kCheckFence, kDelete);
    case RedisScript::kList:
      break;
  }
  return absl::StrCat(kReads, kList);
}

std::string TextOfHello() { return absl::StrCat(kWritesInLittle, kHello); }

}  // namespace aaren
