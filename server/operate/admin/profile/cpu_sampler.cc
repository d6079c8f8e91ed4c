#include "server/operate/admin/profile/cpu_sampler.h"

#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace aaren::admin {
namespace {

constexpr int kOwnFrames = 4;  // at most: the handler's frames, and the kernel's before the interrupted function

std::atomic<CpuSampler*> running_sampler{nullptr};
std::atomic<int> handlers{0};  // handlers that may be using running_sampler now

void* InterruptedAt(const ucontext_t& context) {
#if defined(__x86_64__)
  return reinterpret_cast<void*>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(context.uc_mcontext.pc);
#else
  return nullptr;
#endif
}

void OnSignal(int, siginfo_t*, void* context) {
  // The interrupted code may be about to read errno.
  const int error = errno;
  // Counted before the sampler is read: Stop waits for every handler that may have read the sampler.
  handlers.fetch_add(1);
  if (CpuSampler* sampler = running_sampler.load()) {
    sampler->Take(InterruptedAt(*static_cast<const ucontext_t*>(context)));
  }
  handlers.fetch_sub(1);
  errno = error;
}

bool Install() {
  void* frame = nullptr;
  backtrace(&frame, 1);  // the first call loads a library, which a handler must not do
  struct sigaction action {};
  action.sa_sigaction = OnSignal;
  // Interrupted system calls go on by themselves, where the kernel can restart them.
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGPROF, &action, nullptr) == 0;
}

bool SetTimer(absl::Duration interval) {
  const timeval every = absl::ToTimeval(interval);
  const itimerval timer{every, every};
  return setitimer(ITIMER_PROF, &timer, nullptr) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CpuSampler>> CpuSampler::Start(absl::Duration interval) {
  static const bool installed = Install();
  std::unique_ptr<CpuSampler> sampler(new CpuSampler);
  CpuSampler* none = nullptr;
  if (!running_sampler.compare_exchange_strong(none, sampler.get())) {
    sampler->running_ = false;
    return absl::ResourceExhaustedError("another profile is being taken");
  }
  if (installed && SetTimer(interval)) return sampler;
  return absl::InternalError("the kernel does not tell of the CPU's time");
}

CpuSampler::~CpuSampler() { Stop(); }

void CpuSampler::Stop() {
  // The destructor stops a second time.
  if (!running_) return;
  running_ = false;
  SetTimer(absl::ZeroDuration());
  running_sampler.store(nullptr);
  // A handler of another thread may still write a sample, and the owner reads the samples next.
  while (handlers.load() > 0) std::this_thread::yield();
}

void CpuSampler::Take(void* pc) {
  const size_t place = taken_.fetch_add(1);
  // taken_ counts on, and tells the number of dropped samples.
  if (place >= samples_.size()) return;
  void* frames[CpuSample::kFrames + kOwnFrames];
  const int depth = backtrace(frames, CpuSample::kFrames + kOwnFrames);
  const auto interrupted = std::find(frames, frames + depth, pc) - frames;
  CpuSample& sample = samples_[place];
  sample.thread = static_cast<pid_t>(syscall(SYS_gettid));
  // Code without unwind tables is at least named itself.
  sample.frames[0] = pc;
  sample.depth = 1;
  for (auto i = interrupted + 1; i < depth && sample.depth < CpuSample::kFrames; ++i) {
    sample.frames[sample.depth++] = frames[i];
  }
}

absl::Span<const CpuSample> CpuSampler::samples() const {
  return absl::MakeConstSpan(samples_).first(std::min(taken_.load(), samples_.size()));
}

size_t CpuSampler::dropped() const { return taken_.load() - samples().size(); }

}  // namespace aaren::admin
