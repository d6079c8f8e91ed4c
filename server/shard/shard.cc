#include "server/shard/shard.h"

#include <utility>

namespace aaren::shard {
namespace {

// A save that is late, or fails once or twice, does not end it.
save::Lease LeaseOf(const ShardOptions& options) {
  return {options.advertise, 2 * options.save_interval + absl::Seconds(10)};
}

}  // namespace

SessionShard::SessionShard(int index, ShardOptions options, const models::ModelTable& models,
                           registrar::Directory& directory, const session::Clock& clock)
    : index_(index),
      options_(options),
      models_(models),
      directory_(directory),
      clock_(clock),
      rows_(options.capacity_rows, index),
      plans_(options.budget),
      queue_(options.max_queued_bytes, options.tracer),
      stepper_(rows_, queue_, counters_, clock, options.max_channels, options.save_interval > absl::ZeroDuration(),
               options.watched),
      saver_(options.save_interval, options.session_ttl, LeaseOf(options), rows_,
             [this](std::vector<store::SaveWrite> saves) { SendSaves(std::move(saves)); }),
      slab_(rows_, options.budget, options.max_resident_bytes),
      deferred_(queue_),
      demoted_(options.budget),
      pace_(options.slice) {}

SessionShard::~SessionShard() = default;

registrar::OwnerLimits SessionShard::limits() const {
  return {saver_.enabled(), options_.session_ttl, options_.max_channels, LeaseOf(options_)};
}

session::Session* SessionShard::Find(absl::string_view key) {
  const auto found = sessions_.find(key);
  return found == sessions_.end() ? nullptr : found->get();
}

session::Session* SessionShard::FindSettled(absl::string_view key) {
  session::Session* session = Find(key);
  if (session == nullptr || !session->under_way) return session;
  FinishStep();
  return Find(key);  // it is gone if the step has failed
}

}  // namespace aaren::shard
