"""Numbers beside an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import ScalarFormatter

if TYPE_CHECKING:
    from matplotlib.axis import Axis

_SUPERSCRIPTS = str.maketrans("0123456789-\N{MINUS SIGN}", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻", "+")


class Numbers(ScalarFormatter):
    """Very large and very small ones without their power of ten, which becomes part of the unit in the axis'
    label: "force [N]" may become "force [10⁻⁵ N]". limits: powers
    of ten at which that begins, below and above.

    They are ordinary text: as mathematics, which Matplotlib would make of each, a chart takes twice as long.
    """

    def __init__(self, limits: tuple[int, int]) -> None:
        super().__init__(useOffset=False, useMathText=False)
        self.set_powerlimits(limits)

    @classmethod
    def beside(cls, axis: Axis, limits: tuple[int, int] = (-3, 5)) -> None:
        """Tick labels for an axis with all its curves and its label."""
        numbers = cls(limits)
        axis.set_major_formatter(numbers)
        numbers.set_locs([float(place) for place in axis.get_majorticklocs()])
        _, _, exponent = ScalarFormatter.get_offset(numbers).partition("e")
        if exponent:
            axis.set_label_text(_in_units_of(f"10{exponent.translate(_SUPERSCRIPTS)}", axis.get_label_text()))

    def get_offset(self) -> str:
        return ""


def _in_units_of(power: str, label: str) -> str:
    if "[" not in label:
        return f"{label} [{power}]"
    return label.replace("[1]", f"[{power}]", 1) if "[1]" in label else label.replace("[", f"[{power} ", 1)
