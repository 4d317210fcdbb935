"""Limits of a command's effects on a run: on its speeds, density and time step.

The speed of sound of a run is fixed at the start, so every speed must stay well below it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from eddyline.world import World
from eddyline.world.problems import rounded
from eddyline.world.scales import SOUND_RATIO, expected_speeds

FASTER = 2.0
"""Allowed ratio of the speed of a liquid to the speed expected at the start: Mach 0.2 instead of 0.1."""
MORE_STEPS = 100.0
"""Allowed ratio of the number of steps per second of flow to that at the start."""


@dataclass(frozen=True)
class Violation:
    """An effect that exceeds a limit.

    text: the effect and the limit. factor: below 1; the cause (a speed, an acceleration or a viscosity) must
    be multiplied by it."""

    text: str
    factor: float


class Effects:
    """Limits of commands in a run that began with `world`."""

    def __init__(self, world: World) -> None:
        self._sound = world.scales.sound_speed
        self._before = expected_speeds(world.file)
        fluid, gas = world.scales, world.file.fluid.is_gas
        self._fastest = self._sound if gas else FASTER * max(fluid.max_speed, self._sound / SOUND_RATIO)
        self._more_steps = 1.0 if gas else MORE_STEPS  # friction heats a gas without limit
        method = world.core.method
        h, nu = 0.5 * world.file.lengths.interaction_radius, world.file.fluid.nu
        self._viscous = method.viscous_cfl * h**2  # time step times viscosity
        self._time_step = method.cfl * h / self._sound
        if nu > 0:
            self._time_step = min(self._time_step, self._viscous / nu)

    def violations(self, world: World) -> Iterator[Violation]:
        """Limits that the run would exceed if its world became this one."""
        for cause, (speed, reason) in expected_speeds(world.file).items():
            yield from self.speed_violations(cause, speed, reason)
        is_viscous = "sqrt(nu" in world.scales.reason
        if is_viscous and world.scales.sound_speed > FASTER * self._sound:
            factor = (FASTER * self._sound / world.scales.sound_speed) ** 2
            yield Violation(
                f"the fluid would need a speed of sound of {rounded(world.scales.sound_speed)} m/s; this "
                f"run uses {rounded(self._sound)} m/s and allows {rounded(FASTER * self._sound)} m/s",
                factor,
            )
        steps = world.file.fluid.nu * self._time_step / self._viscous
        if not steps <= self._more_steps:
            yield Violation(
                f"each second of flow would take {rounded(steps, 2)} times as many steps as at the start; "
                f"at most {rounded(self._more_steps)} times is allowed",
                self._more_steps / steps,
            )

    def speed_violations(
        self, cause: str, speed: float, reason: str, most: float = math.inf
    ) -> Iterator[Violation]:
        """Yields a problem if a cause of motion (see expected_speeds) gives the fluid a speed above `most`
        [m/s]."""
        is_driven = "sqrt(" in reason or ", f " in reason  # by an acceleration
        before = self._before.get(cause, (0.0, ""))[0]
        limit = max(self._fastest, before)
        if is_driven:  # a file may specify a slower flow than the estimate
            limit = max(limit, min(FASTER * before, self._sound))
        limit = min(limit, most)
        if speed <= limit:
            return
        compressed = ""
        if "sqrt(" in reason and math.isfinite(speed):  # sqrt(2 g H): the pressure rho g H, over rho c0^2
            compressed = f" and be compressed by {rounded(50 * (speed / self._sound) ** 2, 2)} %"
        factor = limit / speed if math.isfinite(speed) else 0.0
        yield Violation(
            f"the fluid may reach {rounded(speed)} m/s{compressed} ({reason}); the speed of sound of this "
            f"run, {rounded(self._sound)} m/s, allows up to {rounded(limit)} m/s",
            factor**2 if "sqrt(" in reason else factor,
        )
