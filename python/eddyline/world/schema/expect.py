"""The tables [[expect]]: values that are compared with results of the run."""

from __future__ import annotations

from pydantic import Field, StrictBool, model_validator

from ..problems import listed
from ..shapes import Table
from ..values import Condition, NotNegative, Number, Positive, Range, wrong_table


class Expect(Table):
    """A published or exact value that is compared with the run."""

    quantity: str = Field(
        min_length=1,
        description='A formula of results, e.g. "force.cylinder.total_x.mean".',
        examples=["budget.max_speed.max"],
    )
    range: Range | None = Field(default=None, description="Lowest and highest allowed value.")
    value: Number | None = Field(default=None, description="The value, with tolerance.")
    tolerance: Positive | None = Field(
        default=None, description="Largest allowed difference from value, in the unit of the quantity."
    )
    curve: str | None = Field(
        default=None,
        description="A CSV file of two columns, against and quantity, beside the world, or its URL.",
    )
    against: str | None = Field(default=None, description='Abscissa of the curve, e.g. "time".')
    band: Positive | None = Field(
        default=None,
        description="Largest allowed RMS difference from the curve, relative to the RMS of the curve.",
    )
    shift: NotNegative | None = Field(
        default=None,
        description="Largest shift of the curve along the abscissa for the best agreement; default "
        "0.3, for a profile 0.",
    )
    after: NotNegative = Field(default=0.0, description="Start of the evaluated time range [s].")
    unbounded: StrictBool = Field(
        default=False,
        description="True: the value is for an unbounded stream; blockage raises the computed value.",
    )
    source: str = Field(
        default="", description="Key of the paper in refs.bib, or another source of the value."
    )
    when: Condition = Field(default=True, description="Condition; the entry is used only if it is true.")

    @model_validator(mode="after")
    def _one_kind(self) -> Expect:
        kinds = {"range": ("range",), "value": ("value", "tolerance"), "curve": ("curve", "against", "band")}
        given = [kind for kind, keys in kinds.items() if any(getattr(self, key) is not None for key in keys)]
        if len(given) != 1:
            raise wrong_table(
                f"has {listed(given) or 'no reference'}; must have exactly one of: range, value with "
                "tolerance, curve with against and band"
            )
        missing = [key for key in kinds[given[0]] if getattr(self, key) is None]
        if missing:
            raise wrong_table(f"lacks {listed(missing)}, which {given[0]} requires. Add {missing[0]}")
        return self
