// Computations without the GIL that Python can end.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>
#include <utility>

namespace yoddd {

constexpr double poll_interval = 0.005;  // seconds; each poll may have to wait for the GIL

// Return work(ended) without the GIL. `ended` is true after `seconds` (0: no limit), or if `stop`
// says so; without it, at a signal. What was raised meanwhile is raised again at the end.
template <class Work>
auto stoppable(double seconds, const std::optional<nanobind::callable>& stop, const Work& work) {
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;
    const Clock::time_point begun = Clock::now();
    Clock::time_point polled = begun;
    std::optional<nanobind::python_error> raised;
    const auto ended = [&] {
        const auto now = Clock::now();
        if (raised || (seconds > 0 && Seconds(now - begun).count() >= seconds)) return true;
        if (Seconds(now - polled).count() < poll_interval) return false;
        polled = now;
        nanobind::gil_scoped_acquire held;
        try {
            if (stop) return nanobind::cast<bool>((*stop)());
            if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
            return false;
        } catch (nanobind::python_error& error) {
            raised.emplace(std::move(error));
            return true;
        }
    };
    auto result = [&] {
        nanobind::gil_scoped_release released;
        return work(ended);
    }();
    if (raised) throw std::move(*raised);
    return result;
}

}  // namespace yoddd
