"""World files: reading, checking, describing and drawing them; and their expectations of a run."""

from .describe import describe
from .document import parse_set
from .draw import save_picture
from .expect import Comparison, evaluate_expectations, reference_curve
from .gallery import gallery
from .new import new_world, schema_json
from .problems import Problem, WorldError
from .scales import Scales
from .schema import Expect, Reference
from .world import Output, World

__all__ = [
    "Comparison",
    "Expect",
    "Output",
    "Problem",
    "Reference",
    "Scales",
    "World",
    "WorldError",
    "describe",
    "evaluate_expectations",
    "gallery",
    "new_world",
    "parse_set",
    "reference_curve",
    "save_picture",
    "schema_json",
]
