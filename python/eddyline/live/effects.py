"""Limits of a command's effects on a run: on its speeds, density and time step.

Where the speed of sound of a run is fixed at the start, every speed must stay well below it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from eddyline.world import World
from eddyline.world.problems import rounded
from eddyline.world.scales import SOUND_RATIO, expected_speeds
from eddyline.world.solver import Speeds

FASTER = 2.0
"""Allowed ratio of the speed of a liquid to the speed expected at the start: Mach 0.2 instead of 0.1."""
MORE_STEPS = 100.0
"""Allowed ratio of the number of steps per second of flow to that at the start."""
FEW_STEPS = 1000.0
"""Number of steps of a run that may be multiplied by MORE_STEPS even if it begins with longer steps."""


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
        self._world = world

    def violations(self, world: World) -> Iterator[Violation]:
        """Limits that the run would exceed if its world became this one."""
        if self._world.solver.has_sound:
            yield from self._violations_with_sound(world)
        else:
            yield from self._violations_of_steps(world, expected_speeds(world.file))

    @property
    def _sound(self) -> float:
        return self._world.scales.sound_speed

    @cached_property
    def _before(self) -> dict[str, tuple[float, str]]:
        return expected_speeds(self._world.file)

    @cached_property
    def _fastest(self) -> float:
        """Highest speed that a command may cause [m/s]."""
        scales = self._world.scales
        if self._world.file.fluid.is_gas:
            return self._sound
        return FASTER * max(scales.max_speed, self._sound / SOUND_RATIO)

    def _violations_with_sound(self, world: World) -> Iterator[Violation]:
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
        method, before = self._world.core.method, self._world.file
        h, nu = 0.5 * before.lengths.interaction_radius, before.fluid.nu
        viscous = method.viscous_cfl * h**2  # time step times viscosity
        time_step = method.cfl * h / self._sound
        if nu > 0:
            time_step = min(time_step, viscous / nu)
        allowed = 1.0 if before.fluid.is_gas else MORE_STEPS  # friction heats a gas without limit
        steps = world.file.fluid.nu * time_step / viscous
        if not steps <= allowed:
            yield Violation(
                f"each second of flow would take {rounded(steps, 2)} times as many steps as at the start; "
                f"at most {rounded(allowed)} times is allowed",
                allowed / steps,
            )

    def _violations_of_steps(self, world: World, speeds: Speeds) -> Iterator[Violation]:
        end = self._world.end
        for limit in world.solver.step_limits(world.file, speeds):
            steps = end / limit.seconds
            if not steps <= self._most_steps:
                yield Violation(
                    f"the whole run would take {rounded(steps, 2)} steps ({limit.cause}); at most "
                    f"{rounded(self._most_steps, 2)} are allowed",
                    (self._most_steps / steps) ** (1 / limit.power),
                )

    @cached_property
    def _most_steps(self) -> float:
        """Allowed number of steps of the whole run."""
        limits = self._world.solver.step_limits(self._world.file, self._before)
        before = max((self._world.end / each.seconds for each in limits), default=0.0)
        return MORE_STEPS * max(before, FEW_STEPS)

    def speed_violations(
        self, cause: str, speed: float, reason: str, most: float = math.inf
    ) -> Iterator[Violation]:
        """Yields a problem if a cause of motion (see expected_speeds) gives the fluid a speed above `most`
        [m/s]."""
        if not self._world.solver.has_sound:
            if speed > most:
                text = f"the fluid may reach {rounded(speed)} m/s ({reason}); fluid.max_speed allows up to"
                yield Violation(f"{text} {rounded(most)} m/s", most / speed)
            yield from self._violations_of_steps(self._world, {cause: (speed, reason)})
            return
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
