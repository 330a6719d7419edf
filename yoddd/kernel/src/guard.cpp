// Starts an engine in a session of its own on Linux, and ends all that it has started with it; run as
// `yoddd-guard KEY=VALUE... -- COMMAND...`, see yoddd/daemon/play/confinement.py.
//
// This process stays, as the guard, and starts the keeper of the engine: whatever the engine starts,
// in whatever session and with whatever environment, becomes a child of the keeper when its own
// parent ends, and of the guard if the keeper is killed (`PR_SET_CHILD_SUBREAPER`). The end of the
// engine, the signal `order_to_end` or the death of the referee, of the guard or of the keeper is the
// end of all of them, and the guard ends as the engine has. With `namespace=1` the keeper is the first
// process of a PID namespace: the engine can signal neither keeper, guard nor referee, and the kernel
// ends all that is in the namespace with the keeper. All share one /tmp, where programs name files by
// their PID (a JVM locks hsperfdata_USER/PID): in its namespace the engine has the PID of its guard.

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr int not_found = 127;
constexpr int not_confined = 126;
constexpr int order_to_end = SIGUSR1;  // END in processes.py
constexpr timespec pause_between{0, 2'000'000};
constexpr int most_passes = 2500;   // then processes that cannot be killed are left
constexpr int most_pids = 1 << 22;  // PID_MAX_LIMIT of the kernel

struct Settings {
    pid_t parent = 0;
    bool is_namespaced = false;
    bool has_network = true;
    int report = -1;  // the pipe that tells the referee that the engine is not at fault
    const char* group = nullptr;
    long cpu = -1;
    long files = -1;
    long usual_files = -1;  // the soft limit without `files`
    cpu_set_t cpus{};
} settings;

sigset_t awaited;

[[noreturn]] void fail(int status, const char* before, const char* what) {
    const char* why = std::strerror(errno);
    if (settings.report >= 0) dprintf(settings.report, "not started");
    dprintf(2, "%s%s: %s\n", before, what, why);
    _exit(status);
}

void check(bool is_done, const char* step) {
    if (!is_done) fail(not_confined, "cannot be confined: ", step);
}

bool write_file(const char* path, const char* text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const auto size = static_cast<ssize_t>(std::strlen(text));
    const bool is_done = file >= 0 && write(file, text, size) == size;
    if (file >= 0) close(file);
    return is_done;
}

// Enters a namespace of one kind, with a user namespace where the rights for it are missing.
bool enter(int kind) {
    char users[64], groups[64];
    std::snprintf(users, sizeof users, "%u %u 1", getuid(), getuid());
    std::snprintf(groups, sizeof groups, "%u %u 1", getgid(), getgid());
    if (unshare(kind) == 0) return true;
    return unshare(CLONE_NEWUSER | kind) == 0 && write_file("/proc/self/setgroups", "deny") &&
           write_file("/proc/self/uid_map", users) && write_file("/proc/self/gid_map", groups);
}

// -- the end of all ---------------------------------------------------------------------------

// Forgets the children that have ended; returns the status of `child` if it is known, else `status`.
int reap(pid_t child, int status) {
    int found;
    for (pid_t pid; (pid = waitpid(-1, &found, WNOHANG)) > 0;)
        if (pid == child) status = found;
    return status;
}

pid_t parent_of(pid_t pid) {
    char path[32], text[512];
    std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size < 0 ? 0 : size] = 0;
    // The name of a program may hold anything; its closing bracket is the last one.
    const char* after = std::strrchr(text, ')');
    pid_t parent = 0;
    if (after) std::sscanf(after, ") %*c %d", &parent);
    return parent;
}

// Kills what this process has started and what that has. One that is listed before its parent is
// found in a later pass, at the latest when its parent has ended.
void kill_all(int pass) {
    static int found_in[most_pids];
    DIR* proc = opendir("/proc");
    if (!proc) return;
    while (const dirent* entry = readdir(proc)) {
        const pid_t pid = std::atoi(entry->d_name);
        if (pid <= 0 || pid >= most_pids) continue;
        const pid_t parent = parent_of(pid);
        if (parent != getpid() && (parent <= 0 || found_in[parent] != pass)) continue;
        found_in[pid] = pass;
        kill(pid, SIGKILL);
    }
    closedir(proc);
}

// Waits for the end of a child or the order to end, ends all that is left, and returns the child's
// status.
int keep(pid_t child, bool is_leader) {
    int status = -1;
    for (int number = 0; status < 0 && number != order_to_end;) {
        sigwait(&awaited, &number);
        // A leader has not called setsid yet, or has just ended, if it has no group.
        if (number == SIGTERM && !(is_leader && killpg(child, SIGTERM) == 0)) kill(child, SIGTERM);
        status = reap(child, status);
    }
    for (int pass = 1; pass <= most_passes; ++pass) {
        kill_all(pass);
        status = reap(child, status);
        siginfo_t left;
        if (waitid(P_ALL, 0, &left, WEXITED | WNOHANG | WNOWAIT) < 0) break;  // there is none
        nanosleep(&pause_between, nullptr);
    }
    return status < 0 ? SIGKILL : status;
}

// Leaves the pipes to the engine, so that their ends are those of the engine's own.
void close_pipes() {
    const int null = open("/dev/null", O_RDWR);
    for (int pipe = 0; pipe < 3; ++pipe) dup2(null, pipe);
    close(null);
    if (settings.report >= 0) close(settings.report);
}

// Exits as the engine has, whose status tells the referee why.
[[noreturn]] void end_as(int status) {
    if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
    const int number = WTERMSIG(status);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    std::signal(number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, nullptr);
    kill(getpid(), number);
    _exit(128 + number);
}

// -- keeper and engine ------------------------------------------------------------------------

constexpr long pids_apart = 64;

// Sets the PID of the next process of this namespace, where the kernel lets us.
void set_next_pid(long pid) {
    char last[24];
    std::snprintf(last, sizeof last, "%ld", pid - 1);
    write_file("/proc/sys/kernel/ns_last_pid", last);
}

// Keeps what the engine starts apart from other engines and from what is outside: the PIDs of guards
// that start one after the other are neighbours, and so would be those of their engines' children.
void spread_children(long engine) {
    char text[24] = "";
    const int file = open("/proc/sys/kernel/pid_max", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && read(file, text, sizeof text - 1) > 0) {
        const long pids = std::atol(text) / 2;
        set_next_pid(pids + engine * pids_apart % pids);
    }
    if (file >= 0) close(file);
}

void limit(int resource, long most, const char* name) {
    if (most < 0) return;
    const rlimit both{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
    check(setrlimit(static_cast<__rlimit_resource_t>(resource), &both) == 0, name);
}

// Becomes the command as the leader of a new session that ends with the keeper.
[[noreturn]] void become(char** command, pid_t keeper) {
    if (settings.is_namespaced) spread_children(getpid());
    sigprocmask(SIG_UNBLOCK, &awaited, nullptr);
    setsid();
    if (settings.report >= 0) fcntl(settings.report, F_SETFD, FD_CLOEXEC);
    check(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0, "prctl");
    if (getppid() != keeper) _exit(0);  // it died before the death signal was set
    if (settings.group) {
        char path[4096];
        std::snprintf(path, sizeof path, "%s/cgroup.procs", settings.group);
        check(write_file(path, "0"), path);  // this process
    }
    limit(RLIMIT_CPU, settings.cpu, "cpu");
    limit(RLIMIT_NOFILE, settings.files, "files");
    rlimit now{};
    if (settings.usual_files >= 0 && getrlimit(RLIMIT_NOFILE, &now) == 0) {
        now.rlim_cur = static_cast<rlim_t>(settings.usual_files);
        check(setrlimit(RLIMIT_NOFILE, &now) == 0, "usual_files");
    }
    check(settings.has_network || enter(CLONE_NEWNET), "cannot leave the network");
    check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl");
    execvp(command[0], command);
    fail(not_found, "", command[0]);
}

// Starts the engine, with the PID of its guard, keeps it, and writes its status to the pipe `tells`.
[[noreturn]] void keep_engine(char** command, pid_t guard, int tells) {
    check(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0, "prctl");
    check(prctl(PR_SET_PDEATHSIG, order_to_end) == 0, "prctl");
    // Shows this process the /proc of its own PID namespace.
    check(!settings.is_namespaced ||
              (unshare(CLONE_NEWNS) == 0 &&
               mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0),
          "cannot mount /proc");
    pollfd end_of_guard{tells, 0, 0};
    if (poll(&end_of_guard, 1, 0) > 0) _exit(0);  // it died before the death signal was set
    const pid_t keeper = getpid();
    if (settings.is_namespaced) set_next_pid(guard);
    const pid_t engine = fork();
    check(engine >= 0, "fork");
    if (engine == 0) become(command, keeper);
    close_pipes();
    const int status = keep(engine, true);
    _exit(write(tells, &status, sizeof status) < 0);
}

void read_setting(char* word) {
    char* value = std::strchr(word, '=');
    if (!value) return;
    *value++ = 0;
    const auto is = [&](const char* key) { return std::strcmp(word, key) == 0; };
    const long number = std::strtol(value, nullptr, 10);
    if (is("parent")) settings.parent = static_cast<pid_t>(number);
    if (is("namespace")) settings.is_namespaced = number;
    if (is("network")) settings.has_network = number;
    if (is("report")) settings.report = static_cast<int>(number);
    if (is("group")) settings.group = value;
    if (is("cpu")) settings.cpu = number;
    if (is("files")) settings.files = number;
    if (is("usual_files")) settings.usual_files = number;
    if (!is("cpus")) return;
    for (char* one = std::strtok(value, ","); one; one = std::strtok(nullptr, ","))
        CPU_SET(std::min(std::strtoul(one, nullptr, 10), CPU_SETSIZE - 1UL), &settings.cpus);
}

}  // namespace

int main(int, char** words) {
    while (*++words && std::strcmp(*words, "--")) read_setting(*words);
    if (!*words || !*++words) return not_found;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, order_to_end);
    sigprocmask(SIG_BLOCK, &awaited, nullptr);
    setsid();
    check(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0, "prctl");
    check(CPU_COUNT(&settings.cpus) == 0 ||
              sched_setaffinity(0, sizeof settings.cpus, &settings.cpus) == 0,
          "cpus");
    // For the keeper: a process itself stays where it is.
    check(!settings.is_namespaced || enter(CLONE_NEWPID), "no PID namespace");
    check(prctl(PR_SET_PDEATHSIG, order_to_end) == 0, "prctl");
    if (getppid() != settings.parent) _exit(0);  // it died before the death signal was set
    int status[2];
    check(pipe2(status, O_CLOEXEC) == 0, "pipe");
    const pid_t guard = getpid();
    const pid_t keeper = fork();
    check(keeper >= 0, "fork");
    if (keeper == 0) {
        close(status[0]);
        keep_engine(words, guard, status[1]);
    }
    close(status[1]);
    close_pipes();
    const int ended = keep(keeper, false);
    int of_engine = ended;
    fcntl(status[0], F_SETFL, O_NONBLOCK);  // a keeper that could not be killed has it open
    if (read(status[0], &of_engine, sizeof of_engine) != sizeof of_engine) of_engine = ended;
    end_as(of_engine);
}
