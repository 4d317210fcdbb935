"""Numbers beside an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import ScalarFormatter

if TYPE_CHECKING:
    from matplotlib.axis import Axis

_SUPERSCRIPTS = str.maketrans("0123456789-\N{MINUS SIGN}", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻", "+")


class Numbers(ScalarFormatter):
    """Very large and very small ones without their power of ten, which becomes part of the unit in the axis'
    label: "force [N]" may become "force [10⁻⁵ N]".

    They are ordinary text: as mathematics, which Matplotlib would make of each, a chart takes twice as long.
    """

    def __init__(self) -> None:
        super().__init__(useOffset=False, useMathText=False)
        self.set_powerlimits((-3, 5))

    @classmethod
    def beside(cls, axis: Axis) -> None:
        """Numbers for an axis whose curves and label are complete."""
        numbers = cls()
        axis.set_major_formatter(numbers)
        numbers.set_locs([float(place) for place in axis.get_majorticklocs()])
        _, _, exponent = ScalarFormatter.get_offset(numbers).partition("e")
        if exponent:
            name, _, unit = axis.get_label_text().rstrip("]").partition(" [")
            power = f"10{exponent.translate(_SUPERSCRIPTS)}"
            axis.set_label_text(f"{name} [{power}]" if unit in ("", "1") else f"{name} [{power} {unit}]")

    def get_offset(self) -> str:
        return ""
