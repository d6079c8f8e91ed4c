#include "tests/model/engine/cuda/emulated_cluster.h"

#include <utility>

#include "model/engine/cuda/stream/kernel.h"
#include "tests/model/engine/cuda/cluster_run.h"

namespace aaren::engine {
namespace {

constexpr size_t kAllBarrier = 0, kWorkersBarrier = 15;

}  // namespace

int ClusterThread::cluster() const { return run_->cluster(); }
void ClusterThread::SyncAll() { run_->Join(run_->Barrier(kAllBarrier), kStreamThreads, true, true); }
void ClusterThread::ArriveAll() {
  run_->SyncWarp();
  run_->Join(run_->Barrier(kAllBarrier), kStreamThreads, false, false);
}
void ClusterThread::Sync() { run_->Join(run_->Barrier(kWorkersBarrier), kStreamWorkers, true, true); }
void ClusterThread::Named(int id, int threads) {
  run_->Join(run_->Barrier(static_cast<size_t>(id)), static_cast<size_t>(threads), true, true);
}
void ClusterThread::SyncWarp() { run_->SyncWarp(); }
void ClusterThread::ArriveCluster() { run_->ArriveCluster(); }
void ClusterThread::WaitCluster() { run_->WaitCluster(); }
float ClusterThread::AcrossLanes(float number, int mask) { return run_->Exchange(number, mask); }

void ClusterThread::SetUpBar(uint64_t* bar, int arrivals) { run_->SetUp(run_->BarAt(run_->Block(), bar), arrivals); }
void ClusterThread::Arrive(uint64_t* bar) { run_->Release(run_->BarAt(run_->Block(), bar), 0, 1); }
void ClusterThread::Expect(uint64_t* bar, uint32_t bytes) {
  run_->Release(run_->BarAt(run_->Block(), bar), static_cast<int64_t>(bytes), 1);
}
void ClusterThread::Wait(uint64_t* bar, int parity) { run_->WaitFor(run_->BarAt(run_->Block(), bar), parity & 1); }

void ClusterThread::Copy(char* to, const std::byte* from, uint32_t bytes, uint64_t* bar) {
  if (reinterpret_cast<uintptr_t>(from) % 16 != 0 || bytes % 16 != 0) run_->Fault("a copy that is not aligned");
  run_->CheckInside(run_->Block(), to, bytes, 16);
  run_->CheckGlobal(from, bytes);
  run_->Launch(static_cast<size_t>(rank_), to, from, bytes, run_->BarAt(run_->Block(), bar));
}

void ClusterThread::SendBytes(float* at, int rank, const float* numbers, size_t bytes, uint64_t* bar) const {
  ClusterRun::SharedMemory& target = run_->Block(static_cast<size_t>(rank));
  run_->CheckInside(run_->Block(), at, bytes, Unit(bytes));
  char* to = target.begin + (reinterpret_cast<char*>(at) - shared_);
  const void* signal = target.begin + (reinterpret_cast<char*>(bar) - shared_);
  run_->Launch(static_cast<size_t>(rank), to, numbers, bytes, run_->BarAt(target, signal));
}

void ClusterThread::Read(const void* from, void* to, size_t bytes, size_t unit) const {
  run_->CheckInside(run_->Block(), from, bytes, unit);
  run_->Read(from, bytes);
  std::memcpy(to, from, bytes);
}
void ClusterThread::Write(void* to, const void* from, size_t bytes, size_t unit) const {
  run_->CheckInside(run_->Block(), to, bytes, unit);
  run_->Write(run_->Block(), to, bytes);
  std::memcpy(to, from, bytes);
}
void ClusterThread::ReadGlobal(const void* from, void* to, size_t bytes) const {
  run_->TouchGlobal(from, bytes, false);
  std::memcpy(to, from, bytes);
}
void ClusterThread::WriteGlobal(void* to, const void* from, size_t bytes) const {
  run_->TouchGlobal(to, bytes, true);
  std::memcpy(to, from, bytes);
}
void ClusterThread::ReadConstant(const void* from, void* to, size_t bytes) const {
  run_->CheckGlobal(from, bytes);
  std::memcpy(to, from, bytes);
}

std::string RunClusters(const ClusterGrid& grid, const std::function<void(ClusterThread&)>& kernel) {
  ClusterRun run(grid, kernel);
  for (uint32_t i = 0; i < grid.clusters && run.fault().empty(); ++i) run.Run(static_cast<int>(i));
  return run.fault();
}

namespace {

template <size_t kForm>
bool RunForm(const ForwardCall& call, const StreamPlan& plan, const ClusterGrid& grid, std::string& fault) {
  constexpr StreamForm kThis = kStreamForms[kForm];
  if (kThis.tokens != plan.tokens || kThis.blocks != plan.cluster) return false;
  fault = RunClusters(grid, [&](ClusterThread& thread) { RunStream<kThis.tokens, kThis.blocks>(thread, call, plan); });
  return true;
}

template <size_t... kForms>
std::string RunAnyForm(const ForwardCall& call, const StreamPlan& plan, const ClusterGrid& grid,
                       std::index_sequence<kForms...>) {
  std::string fault = "no such form";
  (RunForm<kForms>(call, plan, grid, fault) || ...);
  return fault;
}

}  // namespace

std::string RunStreamKernel(const ForwardCall& call, const StreamPlan& plan, uint64_t seed,
                            const DevicePieces& pieces) {
  return RunAnyForm(call, plan,
                    {.clusters = call.block_count,
                     .blocks = plan.cluster,
                     .shared_bytes = plan.shared_bytes,
                     .seed = seed,
                     .pieces = &pieces},
                    std::make_index_sequence<kStreamFormCount>());
}

}  // namespace aaren::engine
