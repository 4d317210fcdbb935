"""Analysis of signals with known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from eddyline.signals import (
    Irregular,
    Periodic,
    Quiet,
    Steady,
    Unsettled,
    correlation_time,
    cut,
    find_periods,
    flow_state,
    mean_with_error,
    noise,
    power_spectrum,
    statistic,
    steady_part,
    time_mean,
)
from eddyline.signals.significance import _student_tail, grows, stands_out

Vector = NDArray[np.float64]


def coloured_noise(count: int, step: float, tau: float, random: np.random.Generator) -> Vector:
    """An Ornstein-Uhlenbeck process of unit variance: autocorrelation exp(-t/tau)."""
    keep = math.exp(-step / tau)
    kicks = math.sqrt(1 - keep**2) * random.standard_normal(count)
    values = np.empty(count)
    values[0] = random.standard_normal()
    for k in range(1, count):
        values[k] = keep * values[k - 1] + kicks[k]
    return values


def ringing(count: int, step: float, frequency: float, tau: float, random: np.random.Generator) -> Vector:
    """Noise of a narrow band, of unit variance: its trains of swings last about `tau`."""
    angle = 2 * math.pi * frequency * step * np.arange(count)
    sine, cosine = (coloured_noise(count, step, tau, random) for _ in range(2))
    return sine * np.sin(angle) + cosine * np.cos(angle)


def street(end: float, noise: float = 0.0, seed: int = 1) -> tuple[Vector, Vector, Vector]:
    """(time, drag, lift) of a vortex street that grows by the Stuart-Landau equation to an amplitude of 1.

    Shedding frequency 3, growth rate 3; the drag ends at 3.2 +- 0.03 and repeats twice a period. noise: of
    the drag.
    """
    time = np.linspace(0, end, 2000)
    size = 1 / np.sqrt(1 + (0.01**-2 - 1) * np.exp(-2 * 3 * time))
    angle = 2 * math.pi * 3 * time
    lift = -0.02 * size + size * np.sin(angle)
    drag = 3 + 0.2 * size**2 + 0.03 * size**2 * np.cos(2 * angle) + 2 * np.exp(-time / 0.05)
    random = np.random.default_rng(seed)
    return (
        time,
        drag + 3 * noise * random.standard_normal(2000),
        lift + 3 * noise * random.standard_normal(2000),
    )


def decay(end: float, noise: float = 0.01, seed: int = 1) -> tuple[Vector, Vector, Vector]:
    """(time, drag, lift) of a flow that becomes steady at a drag of 3, with a time constant of 1."""
    time = np.linspace(0, end, 2000)
    random = np.random.default_rng(seed)
    drag = 3 + 2 * np.exp(-time) + 3 * noise * random.standard_normal(2000)
    return time, drag, 0.01 + 3 * noise * random.standard_normal(2000)


# --- means --------------------------------------------------------------------------------------------------


def test_means_are_over_time_not_over_rows() -> None:
    time = np.array([0.0, 1.0, 1.001, 1.002, 2.0])
    assert time_mean(time, 2 * time) == pytest.approx(2.0)


def test_a_window_ends_where_it_ends_and_not_at_the_next_row() -> None:
    time = np.linspace(0, 1, 11)
    part, values = cut(time, 3 * time, 0.25, 0.61)
    assert part[[0, -1]].tolist() == [0.25, 0.61]
    assert time_mean(part, values) == pytest.approx(3 * 0.43)


@pytest.mark.parametrize("tau", [0.02, 0.1, 0.3])
def test_the_error_of_a_mean_is_that_of_correlated_rows(tau: float) -> None:
    """The mean of coloured noise over T scatters by sqrt(2 tau / T); counting rows would give far less."""
    random = np.random.default_rng(7)
    time = np.linspace(0, 10, 1000)
    found = [mean_with_error(time, 5 + coloured_noise(1000, 0.01, tau, random)) for _ in range(150)]
    scatter = float(np.std([item.value for item in found]))
    errors = np.array([item.error for item in found], dtype=np.float64)
    assert scatter == pytest.approx(math.sqrt(2 * tau / 10), rel=0.2)
    assert errors.mean() == pytest.approx(scatter, rel=0.2)
    covered = np.mean([abs(item.value - 5) < 2 * (item.error or 0) for item in found])
    assert 0.85 < covered < 0.99


@pytest.mark.parametrize(("taus", "within"), [(6, 0.48), (10, 0.55), (20, 0.61)])
def test_the_error_of_a_mean_covers_what_short_windows_hide(taus: float, within: float) -> None:
    """The mean of a window is in the middle of its rows, so these seem to scatter less and to decorrelate
    sooner. One error is to hold the true mean in two windows of three; without a correction it does so in
    some 0.4, 0.5 and 0.55 of them."""
    random = np.random.default_rng(11)
    step = 0.1
    rows = round(taus / step)
    time = np.arange(rows) * step
    found = [mean_with_error(time, coloured_noise(rows, step, 1.0, random)) for _ in range(500)]
    share = np.mean([abs(item.value) < (item.error or 0) for item in found])
    assert within < share < 0.75


def test_the_correlation_time() -> None:
    time = np.linspace(0, 200, 20_000)
    values = coloured_noise(20_000, 0.01, 0.2, np.random.default_rng(3))
    assert correlation_time(time, values) == pytest.approx(0.2, rel=0.15)
    assert correlation_time(time, np.random.default_rng(3).standard_normal(20_000)) == pytest.approx(
        0.005, rel=0.1
    )


def test_too_few_rows_have_a_mean_and_no_error() -> None:
    found = mean_with_error(np.linspace(0, 1, 5), np.arange(5.0))
    assert found.value == pytest.approx(2.0) and found.error is None


# --- periods ------------------------------------------------------------------------------------------------


def test_the_frequency_and_the_statistics_of_a_pure_wave() -> None:
    time = np.linspace(0, 4, 4000)
    values = 1.3 + np.sin(2 * math.pi * 3 * time + 0.7)
    found = find_periods(time, values)
    assert isinstance(found, Periodic)
    assert found.frequency == pytest.approx(3.0, rel=1e-5)
    assert found.periods >= 10
    expected = {"mean": 1.3, "max": 2.3, "min": 0.3, "amplitude": 1.0, "rms": math.sqrt(0.5)}
    for name, value in expected.items():
        got = statistic(time, values, found, name)
        assert got is not None and got.window == found.window
        assert got.value == pytest.approx(value, abs=1e-4)
    assert noise(time, values, found) is not None and noise(time, values, found).value < 1e-3  # type: ignore[union-attr]


@pytest.mark.parametrize("level", [0.0, 0.01, 0.03])
def test_a_vortex_street_is_judged_only_once_it_has_saturated(level: float) -> None:
    time, drag, lift = street(8, level)
    state = flow_state(time, [lift, drag])
    assert isinstance(state, Periodic) and state.periods >= 5
    assert state.window[0] > 1.5, "the growth is over by then, not before"
    assert state.frequency == pytest.approx(3.0, abs=3 * state.frequency_error + 1e-3)
    for signal, name, value in (
        (drag, "mean", 3.2),
        (drag, "max", 3.23),
        (lift, "max", 0.98),
        (lift, "min", -1.02),
    ):
        got = statistic(time, signal, state, name)
        assert got is not None and got.error is not None
        # The last of the growth is allowed to change the amplitude by 2 %.
        assert abs(got.value - value) < 3 * got.error + 0.02 * abs(value) / 3, (name, got)
    found = noise(time, drag, state)
    assert found is not None and found.value == pytest.approx(level, rel=0.05, abs=6e-4)


@pytest.mark.parametrize("end", [1.5, 2.0, 2.5, 3.0])
def test_before_that_it_is_not_periodic_yet_and_gives_the_time(end: float) -> None:
    """Judged with all rows, the street is periodic from t = 3.83 on."""
    state = flow_state(*_of(street(end)))
    assert isinstance(state, Unsettled) and state.reason == "not periodic yet"
    if end >= 2:  # before that there are fewer than three whole periods
        assert state.likely is not None and end < state.likely < 5
    if end >= 2.5:
        assert state.likely == pytest.approx(3.83, rel=0.1)


def test_noise_does_not_raise_a_maximum() -> None:
    """The maximum of the rows grows with noise; that of the mean cycle does not."""
    time, drag, lift = street(8, 0.03)
    state = flow_state(time, [lift, drag])
    assert isinstance(state, Periodic)
    got = statistic(time, drag, state, "max")
    assert got is not None and got.value == pytest.approx(3.23, abs=0.012)
    assert drag[time > 2].max() > 3.4


def test_a_mean_that_drifts_is_no_mean_of_a_periodic_flow() -> None:
    """The lift repeats from the start, the drag takes its time."""
    time = np.linspace(0, 6, 2000)
    lift = np.sin(2 * math.pi * 3 * time)
    state = flow_state(time, [lift, 3 - 2 * np.exp(-time / 0.8)])
    assert isinstance(state, Periodic) and state.window[0] > 2.5
    state = flow_state(time, [lift, 3 - 2 * np.exp(-time / 5)])
    assert isinstance(state, Unsettled) and "drifts" in state.reason


def test_a_signal_about_zero_has_no_relative_noise() -> None:
    time, drag, lift = street(8, 0.01)
    state = flow_state(time, [lift, drag])
    assert isinstance(state, Periodic)
    assert noise(time, lift, state) is None and noise(time, drag, state) is not None


def test_noise_about_a_steady_drag_is_not_a_period() -> None:
    """Noise of a narrow band, as of sound in a channel: a mean with its error, and no maximum."""
    time = np.linspace(0, 10, 4000)
    random = np.random.default_rng(8)
    hiss = coloured_noise(4000, 0.0025, 0.02, random)
    drag = 3 + 0.1 * hiss
    state = flow_state(time, [0.02 * coloured_noise(4000, 0.0025, 0.02, random), drag])
    assert isinstance(state, Steady)
    assert state.why_not_periodic == ""
    louder = flow_state(time, [0 * drag, 3 + 3 * (drag - 3)])
    assert isinstance(louder, Steady) and "fluctuates by 10%" in louder.why_not_periodic
    got = statistic(time, drag, state, "mean")
    assert got is not None and got.error is not None
    assert got.error == pytest.approx(0.1 * math.sqrt(2 * 0.02 / 10), rel=0.4)


@pytest.mark.parametrize("end", [3.0, 4.5, 6.0])
def test_sound_that_rings_about_a_steady_lift_is_no_shedding_that_begins(end: float) -> None:
    """Trains of a few periods, as large as those of a coarse stream around a cylinder; now and then one of
    them grows by chance as shedding does."""
    time = np.linspace(0, end, round(500 * end))
    random = np.random.default_rng(4)
    found = []
    for _ in range(20):
        lift, drag = (0.05 * ringing(len(time), 0.002, 22, 0.05, random) for _ in range(2))
        found.append(flow_state(time, [lift, 3 + drag]))
    plain = [state for state in found if isinstance(state, Steady) and state.why_not_periodic == ""]
    assert len(plain) >= 18


@pytest.mark.parametrize("end", [1.5, 2.0, 2.5, 3.0])
def test_shedding_that_begins_in_noise_is_not_taken_for_steady(end: float) -> None:
    for seed in range(20):
        assert isinstance(flow_state(*_of(street(end, 0.005, seed))), Unsettled)


@pytest.mark.parametrize(("tau", "level", "seeds"), [(0.0, 0.2, 200), (0.1, 0.2, 100), (0.8, 0.02, 50)])
def test_noise_about_a_steady_mean_does_not_pass_for_an_oscillation_that_begins(
    tau: float, level: float, seeds: int
) -> None:
    """White noise, and red noise of first order autoregression with the correlation time tau."""
    random = np.random.default_rng(1)
    time = np.linspace(0, 10, 400)
    step = float(time[1])
    wrong = 0
    for _ in range(seeds):
        if tau:
            lift, drag = (level * coloured_noise(400, step, tau, random) for _ in range(2))
        else:
            lift, drag = level * random.standard_normal((2, 400))
        state = flow_state(time, [lift, 1 + drag])
        wrong += isinstance(state, Unsettled) and state.reason.startswith("not periodic yet")
    assert wrong <= 0.02 * seeds


@pytest.mark.parametrize(("rate", "noise", "least"), [(0.6, 0.005, 20), (0.6, 0.02, 19), (1.5, 0.02, 15)])
def test_an_oscillation_that_grows_out_of_noise_is_not_called_steady(
    rate: float, noise: float, least: int
) -> None:
    """Its amplitude A = 0.3 exp(rate (t - 10)) is less than the noise for most of the time."""
    random = np.random.default_rng(5)
    time = np.linspace(0, 10, 1000)
    found = 0
    for _ in range(20):
        swing = 0.3 * np.exp(rate * (time - 10)) * np.sin(2 * math.pi * 3 * time)
        lift, drag = noise * random.standard_normal((2, 1000))
        state = flow_state(time, [swing + lift, 1 + drag])
        found += isinstance(state, Unsettled) and state.reason == "not periodic yet"
    assert found >= least


def test_amplitudes_grow_or_scatter() -> None:
    random = np.random.default_rng(3)
    numbers = np.arange(10)
    assert grows(np.exp(0.05 * numbers))
    assert grows(np.exp(0.1 * numbers + 0.05 * random.standard_normal(10)))
    assert not grows(np.exp(-0.1 * numbers)) and not grows(np.ones(10)) and not grows(np.ones(2))
    steady = [grows(np.exp(0.2 * random.standard_normal(count))) for count in (5, 10) for _ in range(300)]
    assert np.mean(steady) < 0.02, "one in a hundred"


def test_the_tail_of_students_distribution() -> None:
    for freedom, value in ((1, 31.821), (3, 4.541), (8, 2.896), (30, 2.457)):  # quantiles of 99 %
        assert _student_tail(value, freedom) == pytest.approx(0.01, rel=2e-3)


def test_a_peak_stands_out_of_noise_or_not() -> None:
    time = np.linspace(0, 1, 500)
    hiss = coloured_noise(500, 0.002, 0.02, np.random.default_rng(6))
    wave = np.sin(2 * math.pi * 12 * time)
    assert stands_out(time, 2 * wave + hiss, 12.0) and not stands_out(time, hiss, 12.0)
    assert not stands_out(time, 0.1 * wave + hiss, 12.0)
    assert stands_out(time[:30], wave[:30], 12.0) is None, "too few rows"


def test_the_mean_of_an_irregular_street_does_not_count_its_swings_as_noise() -> None:
    random = np.random.default_rng(2)
    time = np.linspace(0, 20, 4000)
    found = []
    for _ in range(20):
        size = 1 + 0.3 * coloured_noise(4000, 0.005, 0.3, random)
        lift = size * np.sin(2 * math.pi * 3 * time)
        found.append(mean_with_error(time, lift, 1 / 3))
    scatter = float(np.std([item.value for item in found]))
    errors = [item.error or 0.0 for item in found]
    assert np.mean(errors) == pytest.approx(scatter, rel=0.6)
    plain = mean_with_error(time, lift)
    assert plain.error is not None and plain.error > 2 * np.mean(errors)


def test_uneven_amplitudes_are_irregular() -> None:
    time = np.linspace(0, 10, 2000)
    size = 1 + 0.3 * coloured_noise(2000, 0.005, 0.3, np.random.default_rng(2))
    lift = size * np.sin(2 * math.pi * 3 * time)
    assert isinstance(find_periods(time, lift), Irregular)
    state = flow_state(time, [lift, 3 + 0.01 * lift])
    assert isinstance(state, Steady) and "scatters" in state.why_not_periodic
    assert statistic(time, lift, state, "max") is None


def test_noise_and_straight_lines_are_quiet() -> None:
    time = np.linspace(0, 5, 1000)
    hiss = np.random.default_rng(5).standard_normal(1000)
    assert isinstance(find_periods(time, 1 + 0.01 * hiss, scale=1.0), Quiet)
    assert isinstance(find_periods(time, np.full(1000, 2.0)), Quiet)
    assert isinstance(find_periods(time, 2 + 0.1 * time), Quiet)
    assert isinstance(find_periods(time[:10], time[:10]), Unsettled)


# --- steady flows -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [9.0, 12.0, 20.0])
def test_a_steady_flow_has_a_mean_without_its_start(end: float) -> None:
    time, drag, lift = decay(end)
    state = flow_state(time, [lift, drag])
    assert isinstance(state, Steady) and state.window[0] >= 3
    got = statistic(time, drag, state, "mean")
    assert got is not None and got.error is not None
    assert got.value == pytest.approx(3.0, abs=0.012), "within 0.4 %, though the start is 67 % off"
    assert abs(got.value - 3.0) < 2.3 * got.error < 0.02, "it still creeps at first"
    assert statistic(time, drag, state, "max") is None
    found = noise(time, drag, state)
    assert found is not None and found.value == pytest.approx(0.01, rel=0.1)


@pytest.mark.parametrize("end", [2.0, 3.0, 5.0])
def test_before_that_it_is_not_steady_yet_and_gives_the_time(end: float) -> None:
    """A longer run is found steady from about t = 8 on."""
    state = flow_state(*_of(decay(end)))
    assert isinstance(state, Unsettled) and state.reason == "not steady yet"
    assert state.likely == pytest.approx(8, abs=1)


def test_a_steady_ramp_never_gets_steady() -> None:
    time = np.linspace(0, 5, 500)
    found = steady_part(time, 1 + time)
    assert isinstance(found, Unsettled) and found.likely is None


def test_slow_noise_is_too_short_for_a_mean() -> None:
    time = np.linspace(0, 20, 2000)
    values = 1 + 0.3 * coloured_noise(2000, 0.01, 0.5, np.random.default_rng(4))
    found = steady_part(time, values, scale=1.0)
    assert isinstance(found, Unsettled) and found.reason == "too short for a mean"
    assert found.likely is not None and found.likely > 20


def test_what_would_take_ages_is_not_foretold() -> None:
    time = np.linspace(0, 0.5, 500)
    values = 1 + 0.9 * np.sin(2 * np.pi * time / 0.9)
    near, far = (steady_part(time, values, scale=scale) for scale in (4.0, 0.2))
    assert isinstance(near, Unsettled) and isinstance(far, Unsettled)
    assert near.reason == far.reason == "too short for a mean"
    assert near.likely is not None and 0.5 < near.likely < 10, "within twenty times what has been seen"
    assert far.likely is None


def test_no_force_is_steady() -> None:
    time = np.linspace(0, 1, 100)
    assert isinstance(flow_state(time, [0 * time, 0 * time]), Steady)


# --- spectra ------------------------------------------------------------------------------------------------


def test_the_integral_of_a_spectrum_is_the_variance() -> None:
    time = np.linspace(0, 20, 8001)
    values = 2 + np.sin(2 * math.pi * 3.03 * time) + 0.2 * np.random.default_rng(2).standard_normal(8001)
    found = power_spectrum(time, values)
    assert found.peak == pytest.approx(3.03, rel=1e-3), "between the points of the transform"
    assert np.trapezoid(found.power, found.frequency) == pytest.approx(0.5 + 0.04, rel=0.03)
    assert found.resolution == pytest.approx(0.2, rel=0.01)


def test_two_peaks_of_a_spectrum() -> None:
    time = np.linspace(0, 10, 4000)
    found = power_spectrum(time, np.sin(2 * math.pi * 2 * time) + 0.1 * np.sin(2 * math.pi * 4 * time))
    near = np.abs(found.frequency - 4) < 1
    assert found.frequency[near][np.argmax(found.power[near])] == pytest.approx(4, abs=0.02)
    ratio = found.power.max() / found.power[near].max()
    assert ratio == pytest.approx(100, rel=0.1)


def test_a_spectrum_needs_rows() -> None:
    with pytest.raises(ValueError, match="at least 16"):
        power_spectrum(np.linspace(0, 1, 10), np.zeros(10))


def _of(flow: tuple[Vector, Vector, Vector]) -> tuple[Vector, list[Vector]]:
    time, drag, lift = flow
    return time, [lift, drag]
