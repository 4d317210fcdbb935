"""What a user reads when a world file is wrong: the exact lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from eddyline.world import World, WorldError, checks, new_world, parse_set

BASE = """\
format = 1
title = "Test"
[let]
D = 0.1
H = 0.4
[domain]
size = [1.0, "H"]
spacing = 0.01
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 1.0
[bodies.cylinder]
shape = "circle"
center = [0.3, 0.2]
diameter = "D"
[boundaries]
left = { type = "wall" }
top = { type = "open" }
[time]
end = 1.0
"""


@dataclass
class Case:
    """lines: expected, without the file's name.  change: text to replace.  add: text at the end."""

    name: str
    lines: list[str]
    change: Mapping[str, str] = field(default_factory=dict)
    add: str = ""
    overrides: Mapping[str, str | float] = field(default_factory=dict)

    def text(self) -> str:
        text = BASE
        for old, new in self.change.items():
            assert old in text
            text = text.replace(old, new)
        return text + self.add


def lines_of(text: str, overrides: Mapping[str, str | float] | None = None) -> list[str]:
    with pytest.raises(WorldError) as caught:
        World.from_text(text, "a", overrides)
    assert len(caught.value.problems) == len(str(caught.value).splitlines())
    return str(caught.value).splitlines()


CASES = [
    Case(
        "negative",
        [
            "16: bodies.cylinder.diameter = -0.1; must be > 0. Try 0.1.",
        ],
        change={'diameter = "D"': "diameter = -0.1"},
    ),
    Case(
        "formula negative",
        [
            '16: bodies.cylinder.diameter = "D - 0.2"; gives -0.1, must be > 0.',
        ],
        change={'diameter = "D"': 'diameter = "D - 0.2"'},
    ),
    Case(
        "zero",
        [
            "16: bodies.cylinder.diameter = 0; must be > 0. Try 0.1.",
        ],
        change={'diameter = "D"': "diameter = 0"},
    ),
    Case(
        "misspelt key",
        [
            '16: bodies.cylinder.diametre = "D"; unknown key. Did you mean "diameter"?',
        ],
        change={"diameter =": "diametre ="},
    ),
    Case(
        "misspelt table",
        [
            '9: fluide is not a table of a world. Did you mean "fluid"?',
        ],
        change={"[fluid]": "[fluide]"},
    ),
    Case(
        "misspelt enum",
        [
            '14: bodies.cylinder.shape = "cirle"; must be circle, rectangle, polygon, line, sphere, '
            'box or cylinder. Did you mean "circle"?',
        ],
        change={'"circle"': '"cirle"'},
    ),
    Case(
        "enum nothing near",
        [
            '14: bodies.cylinder.shape = "banana"; must be circle, rectangle, polygon, line, sphere, '
            "box or cylinder.",
        ],
        change={'"circle"': '"banana"'},
    ),
    Case(
        "bad side",
        [
            '19: boundaries.top.type = "opn"; must be wall, periodic or open. Did you mean "open"?',
        ],
        change={'"open"': '"opn"'},
    ),
    Case(
        "inflow",
        [
            '18: boundaries.left.type = "inflow"; not available yet for scheme "delta". Known: wall, '
            "periodic and open; periodic sides and domain.body_force drive a flow.",
        ],
        change={'{ type = "wall" }': '{ type = "inflow", velocity = "1" }'},
    ),
    Case(
        "unknown name",
        [
            '16: bodies.cylinder.diameter = "Dd"; unknown name `Dd`; did you mean `D`?',
        ],
        change={'diameter = "D"': 'diameter = "Dd"'},
    ),
    Case(
        "unknown name in let",
        [
            '5: let.H = "4*Dx"; unknown name `Dx`; did you mean `D`?',
        ],
        change={"H = 0.4": 'H = "4*Dx"'},
    ),
    Case(
        "x in number",
        [
            '16: bodies.cylinder.diameter = "D*x"; this is one number, the same everywhere and '
            "always; x may stand only in velocities, pressures and body forces.",
        ],
        change={'diameter = "D"': 'diameter = "D*x"'},
    ),
    Case(
        "syntax in formula",
        [
            '16: bodies.cylinder.diameter = "D*(2+"; the formula ends where a value is expected (column 6).',
        ],
        change={'diameter = "D"': 'diameter = "D*(2+"'},
    ),
    Case(
        "not finite",
        [
            '16: bodies.cylinder.diameter = "D/(D-D)"; gives inf with D = 0.1; must be a finite number.',
        ],
        change={'diameter = "D"': 'diameter = "D/(D-D)"'},
    ),
    Case(
        "nan",
        [
            "16: bodies.cylinder.diameter = nan; must be a finite number.",
        ],
        change={'diameter = "D"': "diameter = nan"},
    ),
    Case(
        "wrong type",
        [
            "16: bodies.cylinder.diameter = true; must be a number or a formula.",
        ],
        change={'diameter = "D"': "diameter = true"},
    ),
    Case(
        "wrong type2",
        [
            "15: bodies.cylinder.center = 0.3; must be two numbers, as domain.size has two.",
        ],
        change={"center = [0.3, 0.2]": "center = 0.3"},
    ),
    Case(
        "wrong len",
        [
            "15: bodies.cylinder.center = [0.3, 0.2, 0.1]; must be two numbers, as domain.size has two.",
        ],
        change={"center = [0.3, 0.2]": "center = [0.3, 0.2, 0.1]"},
    ),
    Case(
        "wrong elem",
        [
            "15: bodies.cylinder.center[1] = true; must be a number or a formula.",
        ],
        change={"center = [0.3, 0.2]": "center = [0.3, true]"},
    ),
    Case(
        "missing key",
        [
            "13: bodies.cylinder.diameter is missing; a circle needs it. Add diameter = 0.1.",
        ],
        change={'diameter = "D"\n': ""},
    ),
    Case(
        "missing shape",
        [
            "13: bodies.cylinder.shape is missing; shapes are circle, rectangle, polygon and line "
            "(2D), sphere, box and cylinder (3D).",
        ],
        change={'shape = "circle"\n': ""},
    ),
    Case(
        "missing table",
        [
            "1: [time] is missing; every world needs it. Add [time] with end.",
        ],
        change={"[time]\nend = 1.0\n": ""},
    ),
    Case(
        "missing format",
        [
            "1: format is missing; every world needs it. Add format = 1.",
        ],
        change={"format = 1\n": ""},
    ),
    Case(
        "format 2",
        [
            "1: format = 2; this version of Eddyline reads format 1. Write format = 1.",
        ],
        change={"format = 1\n": "format = 2\n"},
    ),
    Case(
        "side not table",
        [
            '18: boundaries.left = "wall"; must be a table. Write left = { type = "wall" }.',
        ],
        change={'{ type = "wall" }': '"wall"'},
    ),
    Case(
        "viscosity",
        [
            "11: fluid.viscosity = 1e-6; there are two. Write kinematic_viscosity [m^2/s] or "
            "dynamic_viscosity [Pa s].",
        ],
        change={"kinematic_viscosity": "viscosity"},
    ),
    Case(
        "both visc",
        [
            "9: fluid has kinematic_viscosity and dynamic_viscosity; exactly one is allowed. Remove one.",
        ],
        change={"kinematic_viscosity = 1e-6": "kinematic_viscosity = 1e-6\ndynamic_viscosity=1e-3"},
    ),
    Case(
        "no visc",
        [
            "9: fluid has neither kinematic_viscosity nor dynamic_viscosity; exactly one is needed. "
            "Add kinematic_viscosity = 1e-6 (water).",
        ],
        change={"kinematic_viscosity = 1e-6\n": ""},
    ),
    Case(
        "both speeds",
        [
            "9: fluid has max_speed and sound_speed; at most one is allowed. Remove one.",
        ],
        change={"max_speed = 1.0": "max_speed = 1.0\nsound_speed = 10"},
    ),
    Case(
        "no speed",
        [
            "9: fluid.max_speed is missing, and nothing here sets the fluid in motion from which it "
            "could be estimated. Add max_speed = 1.0, the highest speed to expect [m/s].",
        ],
        change={"max_speed = 1.0\n": ""},
    ),
    Case(
        "cycle",
        [
            '4: let.D = "2*E"; needs itself: D -> E -> F -> D. Give one of them a number.',
        ],
        change={"D = 0.1": 'D = "2*E"\nE = "H+F"\nF = "D"'},
    ),
    Case(
        "let reserved",
        [
            "5: let.x = 2; formulas use x already. Take another name.",
            "6: let.pi = 3; formulas use pi already. Take another name.",
            "7: let.t-1 = 2; a name is made of letters, digits and _, and begins with a letter.",
        ],
        change={"D = 0.1": "D = 0.1\nx = 2\npi = 3\nt-1 = 2"},
    ),
    Case(
        "let type",
        [
            "4: let.D = [1]; must be a number or a formula.",
        ],
        change={"D = 0.1": "D = [1]"},
    ),
    Case(
        "syntax",
        [
            '8: not TOML: spacing = H/80. A text or a formula stands in quotes: "H/80".',
        ],
        change={"spacing = 0.01": "spacing = H/80"},
    ),
    Case(
        "syntax2",
        [
            "8: not TOML: spacing =. spacing has no value.",
        ],
        change={"spacing = 0.01": "spacing = "},
    ),
    Case(
        "syntax3",
        [
            "8: not TOML: spacing 0.01. Write KEY = VALUE.",
        ],
        change={"spacing = 0.01": "spacing 0.01"},
    ),
    Case(
        "dup",
        [
            "9: domain.spacing stands here for the second time; first on line 8.",
        ],
        change={"spacing = 0.01": "spacing = 0.01\nspacing = 0.02"},
    ),
    Case(
        "dup table",
        [
            "22: fluid stands here for the second time; first on line 9.",
        ],
        add="[fluid]\ndensity=1\n",
    ),
    Case(
        "unclosed",
        [
            '7: not TOML: size = [1.0, "H". A bracket or a quote is not closed.',
        ],
        change={'"H"]': '"H"'},
    ),
    Case(
        "unclosed str",
        [
            '2: not TOML: title = "Test. A bracket or a quote is not closed, or a comma is missing.',
        ],
        change={'"Test"': '"Test'},
    ),
    Case(
        "outside",
        [
            "13: bodies.cylinder lies from (1.25, 0.15) to (1.35, 0.25) m, outside the domain from "
            "(0, 0) to (1, 0.4) m. Move it.",
        ],
        change={"[0.3, 0.2]": "[1.3, 0.2]"},
    ),
    Case(
        "overlap",
        [
            "22: bodies.other overlaps bodies.cylinder at (0.3338, 0.2138) m; they must not. Move or "
            "shrink one.",
        ],
        add='[bodies.other]\nshape="rectangle"\nmin=[0.32,0.2]\nmax=[0.5,0.3]\n',
    ),
    Case(
        "regions overlap",
        [
            "26: regions.b overlaps regions.a at (0.175, 0.1) m; they must not. Move or shrink one.",
        ],
        add='[regions.a]\nshape="rectangle"\nmin=[0,0]\nmax=[0.2,0.2]\n[regions.b]\nshape="circle"\ncenter=[0.2,0.1]\ndiameter=0.1\n',
    ),
    Case(
        "region outside",
        [
            "22: regions.a lies from (2, 0) to (2.2, 0.2) m, outside the domain from (0, 0) to (1, "
            "0.4) m. Move it.",
        ],
        add='[regions.a]\nshape="rectangle"\nmin=[2,0]\nmax=[2.2,0.2]\n',
    ),
    Case(
        "no fluid",
        [
            "22: regions a hold no fluid: bodies or the domain's end cover them. Move them.",
        ],
        add='[regions.a]\nshape="circle"\ncenter=[0.3,0.2]\ndiameter="D/2"\n',
    ),
    Case(
        "no fluid domain",
        [
            "6: domain holds no fluid: bodies fill it. Make them smaller.",
        ],
        change={'diameter = "D"': "diameter = 5"},
    ),
    Case(
        "periodic alone",
        [
            '18: boundaries.left.type = "periodic", but right is "wall"; periodic sides come in '
            'pairs. Write right = { type = "periodic" }.',
        ],
        change={'left = { type = "wall" }': 'left = { type = "periodic" }'},
    ),
    Case(
        "periodic small",
        [
            "7: domain.size[0] = 1 m is 2.6 cells of 0.38 m; a periodic side needs at least 3. Try "
            "domain.spacing = 0.07.",
        ],
        change={
            'left = { type = "wall" }': 'left = { type = "periodic" }\nright = { type = "periodic" }',
            "spacing = 0.01": "spacing = 0.08",
        },
    ),
    Case(
        "periodic body",
        [
            "13: bodies.cylinder crosses the periodic side left; bodies must not. Move it, or domain.origin.",
        ],
        change={
            'left = { type = "wall" }': 'left = { type = "periodic" }\nright = { type = "periodic" }',
            "[0.3, 0.2]": "[0.01,0.2]",
        },
    ),
    Case(
        "coarse",
        [
            "8: domain.spacing = 0.2 puts 2 particles across the domain; must be at least 4. Try 0.02.",
        ],
        change={"spacing = 0.01": "spacing = 0.2"},
    ),
    Case(
        "hydrostatic",
        [
            '23: start.pressure = "hydrostatic"; needs domain.gravity, which is absent. Add it, or '
            "remove this.",
        ],
        add='[start]\npressure="hydrostatic"\n',
    ),
    Case(
        "probe outside",
        [
            "24: observe.p.position = [2, 0] is outside the domain from (0, 0) to (1, 0.4) m. Move it.",
        ],
        add='[observe.p]\ntype="probe"\nposition=[2,0]\n',
    ),
    Case(
        "probe in body",
        [
            "24: observe.p.position = [0.3, 0.2] is inside bodies.cylinder; must be in the fluid. Move it.",
        ],
        add='[observe.p]\ntype="probe"\nposition=[0.3,0.2]\n',
    ),
    Case(
        "gauge axis",
        [
            '22: observe.p.axis is missing; without gravity a gauge needs it. Add axis = "y".',
        ],
        add='[observe.p]\ntype="gauge"\nposition=[0.3,0.0]\n',
    ),
    Case(
        "front z",
        [
            '24: observe.p.axis = "z"; must be x or y, as this world is 2D.',
        ],
        add='[observe.p]\ntype="front"\naxis="z"\n',
    ),
    Case(
        "observer name",
        [
            "22: observe.cylinder: bodies.cylinder has this name already. Take another.",
            "24: observe.budget: a series of every run has this name already. Take another.",
        ],
        add='[observe.cylinder]\ntype="front"\n[observe.budget]\ntype="front"\n',
    ),
    Case(
        "observer type",
        [
            '23: observe.p.type = "prob"; must be probe, gauge or front. Did you mean "probe"?',
        ],
        add='[observe.p]\ntype="prob"\nposition=[0,0]\n',
    ),
    Case(
        "observer name bad",
        [
            '22: observe.p-1: the name "p-1" must be made of letters, digits and _, and begin with a letter.',
        ],
        add='[observe.p-1]\ntype="front"\n',
    ),
    Case(
        "field nan",
        [
            "23: start.velocity[1] gives nan at x, y = (0.001582, 0.001587) m, t = 0 s; must be "
            "finite everywhere.",
        ],
        add='[start]\nvelocity=["1/(x-0.4975)", "sqrt(y-0.1)"]\n',
    ),
    Case(
        "field unknown",
        [
            '23: start.velocity[0] = "6*U*y"; unknown name `U`; known are x, y, z, t, D, H, pi.',
        ],
        add='[start]\nvelocity=["6*U*y", 0]\n',
    ),
    Case(
        "wall normal",
        [
            "18: boundaries.left.velocity[0] is not 0; a wall moves in its own plane only. Write 0 for x.",
        ],
        change={'left = { type = "wall" }': 'left = { type = "wall", velocity = [1, 0] }'},
    ),
    Case(
        "wall slip vel",
        [
            "18: boundaries.left has slip = true and velocity; a wall without friction drags "
            "nothing. Remove one of them.",
        ],
        change={'left = { type = "wall" }': 'left = { type = "wall", slip = true, velocity = [0, 1] }'},
    ),
    Case(
        "wall velocity scalar",
        [
            "18: boundaries.left.velocity = 1; must be two numbers, as domain.size has two.",
        ],
        change={'left = { type = "wall" }': 'left = { type = "wall", velocity = 1 }'},
    ),
    Case(
        "front side in 2D",
        [
            "17: boundaries has front; front and back exist in 3D only, and this world is 2D. Remove front.",
        ],
        change={'left = { type = "wall" }': 'front = { type = "wall" }'},
    ),
    Case(
        "sphere in 2D",
        [
            '14: bodies.cylinder.shape = "sphere"; is 3D, and this world is 2D. Try "circle".',
        ],
        change={'"circle"': '"sphere"'},
    ),
    Case(
        "circle in 3D",
        [
            '14: bodies.cylinder.shape = "circle"; is 2D, and this world is 3D. Try "sphere" or "cylinder".',
        ],
        change={'size = [1.0, "H"]': 'size = [1.0, "H", 1]'},
    ),
    Case(
        "rect",
        [
            "13: bodies.cylinder needs min and max, or center and size; it has min and size.",
        ],
        change={
            'shape = "circle"\ncenter = [0.3, 0.2]\ndiameter = "D"': 'shape = "rectangle"\nmin = [0.3, 0.2]\nsize=[1,1]'
        },
    ),
    Case(
        "rect order",
        [
            "13: bodies.cylinder has min = [0.3, 0.2] and max = [0.2, 0.3]; min must lie below max "
            "in every direction.",
        ],
        change={
            'shape = "circle"\ncenter = [0.3, 0.2]\ndiameter = "D"': 'shape = "rectangle"\nmin = [0.3, 0.2]\nmax=[0.2,0.3]'
        },
    ),
    Case(
        "poly cross",
        [
            "13: bodies.cylinder cannot be made: the polygon crosses or touches itself: the side "
            "after point 1 meets the side after point 3; put its points in order along the outline.",
        ],
        change={
            'shape = "circle"\ncenter = [0.3, 0.2]\ndiameter = "D"': 'shape = "polygon"\npoints = [[0.3, 0.2],[0.4,0.3],[0.4,0.2],[0.3,0.3]]'
        },
    ),
    Case(
        "poly short",
        [
            "15: bodies.cylinder.points = [[0.3, 0.2], [0.4, 0.3]]; must have at least 3 entries.",
        ],
        change={
            'shape = "circle"\ncenter = [0.3, 0.2]\ndiameter = "D"': 'shape = "polygon"\npoints = [[0.3, 0.2],[0.4,0.3]]'
        },
    ),
    Case(
        "poly elem",
        [
            '16: bodies.cylinder.points[1][1] = "q"; unknown name `q`; known are D, H, pi.',
            "17: bodies.cylinder.points[2] = [0.4]; must be two numbers, as domain.size has two.",
        ],
        change={
            'shape = "circle"\ncenter = [0.3, 0.2]\ndiameter = "D"': 'shape = "polygon"\npoints = [[0.3, 0.2],\n [0.4,"q"],\n [0.4]]'
        },
    ),
    Case(
        "line same",
        [
            "13: bodies.cylinder has from = [0.3, 0.2] and to = [0.3, 0.2]; they must be two "
            "different points.",
        ],
        change={
            'shape = "circle"\ncenter = [0.3, 0.2]\ndiameter = "D"': 'shape = "line"\nfrom = [0.3, 0.2]\nto=[0.3,0.2]\nthickness=0.01'
        },
    ),
    Case(
        "jitter",
        [
            '22: start has jitter with arrangement = "lattice"; jitter is for "jittered" only. Write '
            'arrangement = "jittered" or remove jitter.',
        ],
        add="[start]\njitter=0.1\n",
    ),
    Case(
        "jitter big",
        [
            "24: start.jitter = 0.7; must be <= 0.5. Try 0.5.",
        ],
        add='[start]\narrangement="jittered"\njitter=0.7\n',
    ),
    Case(
        "method",
        [
            '23: method.scheme = "classic"; not available yet for scheme "delta". Known: delta; the '
            "default does the same with less noise.",
            "24: method.cfl = 0; must be > 0.",
            '25: method.smothing_ratio = 2; unknown key. Did you mean "smoothing_ratio"?',
            '26: method.precision = "float"; must be single or double.',
        ],
        add='[method]\nscheme="classic"\ncfl=0\nsmothing_ratio=2\nprecision="float"\n',
    ),
    Case(
        "output",
        [
            "23: output.pictures = 1.5; must be a whole number.",
            "24: output.snapshots = -1; must be >= 0. Try 1.",
            "25: output.series = 0; must be >= 1. Try 1.",
            '26: output.quantity = "sped"; must be speed, pressure, density, vorticity, velocity_x, '
            'velocity_y or velocity_z. Did you mean "speed"?',
        ],
        add='[output]\npictures=1.5\nsnapshots=-1\nseries=0\nquantity="sped"\n',
    ),
    Case(
        "output formula",
        [
            '23: output.pictures = "end/0.1"; unknown name `end`; known are D, H, pi.',
        ],
        add='[output]\npictures="end/0.1"\n',
    ),
    Case(
        "expect table",
        [
            "22: expect = ...; must be an array of tables. Write [[expect]] in two pairs of brackets.",
        ],
        add='[expect]\nquantity="x"\n',
    ),
    Case(
        "expect none",
        [
            "22: expect[0] has nothing to compare with; it needs exactly one of: range, value with "
            "tolerance, curve with against and band.",
        ],
        add='[[expect]]\nquantity="budget.max_speed.max"\n',
    ),
    Case(
        "expect two",
        [
            "22: expect[0] has range and value; it needs exactly one of: range, value with "
            "tolerance, curve with against and band.",
        ],
        add='[[expect]]\nquantity="budget.max_speed.max"\nrange=[0,1]\nvalue=1\ntolerance=1\n',
    ),
    Case(
        "expect incomplete",
        [
            "22: expect[0] lacks tolerance, which value needs. Add tolerance.",
        ],
        add='[[expect]]\nquantity="budget.max_speed.max"\nvalue=1\n',
    ),
    Case(
        "expect unknown",
        [
            "28: expect[1].range = [1, 0]; must be [lowest, highest].",
        ],
        add='[[expect]]\nquantity="budget.max_sped.max"\nrange=[0,1]\n\n[[expect]]\nquantity="frnt.position.max"\nrange=[1,0]\n[[expect]]\nquantity="force.cylinder.total_x.meen"\nrange=[0,1]\n',
    ),
    Case(
        "expect series",
        [
            '23: expect[0].quantity = "budget.max_speed"; `budget.max_speed` is a whole series. '
            "Write which value: budget.max_speed.mean, .min, .max, .final or .rms.",
        ],
        add='[[expect]]\nquantity="budget.max_speed"\nrange=[0,1]\n',
    ),
    Case(
        "expect coefficient",
        [
            '23: expect[0].quantity = "cylinder.drag_coefficient.mean"; '
            "`cylinder.drag_coefficient.mean` needs [reference] with velocity and length.",
        ],
        add='[[expect]]\nquantity="cylinder.drag_coefficient.mean"\nrange=[0,1]\n',
    ),
    Case(
        "expect curve",
        [
            '25: expect[0].curve = "martin_moyce_n2.csv"; no such file beside the world or in the '
            'package. Did you mean "martin_moyce_n2_2.csv"?',
        ],
        add='[[expect]]\nquantity="budget.max_speed"\nagainst="time"\ncurve="martin_moyce_n2.csv"\nband=0.1\n',
    ),
    Case(
        "expect syntax",
        [
            '23: expect[0].quantity = "budget.max_speed.max*"; the formula ends where a value is '
            "expected (column 22).",
        ],
        add='[[expect]]\nquantity="budget.max_speed.max*"\nrange=[0,1]\n',
    ),
    Case(
        "expect after",
        [
            '26: expect[0].when = "D=="; the formula ends where a value is expected (column 4).',
        ],
        add='[[expect]]\nquantity="budget.max_speed.max"\nrange=[0,1]\nafter=2\nwhen="D=="\n',
    ),
    Case(
        "when number",
        [
            '25: expect[0].when = true; must be a formula such as "Re == 100".',
        ],
        add='[[expect]]\nquantity="budget.max_speed.max"\nrange=[0,1]\nwhen=true\n',
    ),
    Case(
        "several at once",
        [
            "8: domain.spacing = 0; must be > 0. Try 0.01.",
            '16: bodies.cylinder.diametre = -1; unknown key. Did you mean "diameter"?',
            '19: boundaries.top.type = "shut"; must be wall, periodic or open.',
        ],
        change={'diameter = "D"': "diametre = -1", "spacing = 0.01": "spacing = 0", '"open"': '"shut"'},
    ),
    Case(
        "set unknown table",
        [
            '--set: domian.spacing is not in a world. Did you mean "domain"?',
        ],
        overrides={"domian.spacing": 0.1},
    ),
    Case(
        "set unknown key",
        [
            '--set: domain.spacin = 0.1; unknown key. Did you mean "spacing"?',
        ],
        overrides={"domain.spacin": 0.1},
    ),
    Case(
        "set unknown body",
        [
            '--set: bodies.cylindr.diameter is not in the file. Did you mean "bodies.cylinder"?',
        ],
        overrides={"bodies.cylindr.diameter": 0.1},
    ),
    Case(
        "set unknown let",
        [
            '--set: let.E is not in the file. Did you mean "let.H"?',
        ],
        overrides={"let.E": 0.1},
    ),
    Case(
        "set bad value",
        [
            "--set: bodies.cylinder.diameter = -0.1; must be > 0. Try 0.1.",
        ],
        overrides={"bodies.cylinder.diameter": "-0.1"},
    ),
    Case(
        "set into scalar",
        [
            "--set: domain.spacing.x: domain.spacing = 0.01 has nothing inside.",
        ],
        overrides={"domain.spacing.x": "-0.1"},
    ),
    Case(
        "set index",
        [
            "--set: domain.size.5: domain.size has 2 entries, counted from 0.",
        ],
        overrides={"domain.size.0": "2*H", "domain.size.5": 3},
    ),
    Case(
        "set consequences",
        [
            '16: bodies.cylinder.diameter = "D"; gives -0.1, must be > 0.',
        ],
        overrides={"let.D": "-0.1"},
    ),
    Case(
        "set formula",
        [
            '--set: let.D = "H/"; the formula ends where a value is expected (column 3).',
        ],
        overrides={"let.D": "H/", "domain.spacing": "D/20"},
    ),
    Case(
        "body as list",
        [
            '22: regions = [{ shape = "circle" }]; must be a table. Write [regions.NAME] on a line '
            "of its own.",
        ],
        add='[[regions]]\nshape="circle"\n',
    ),
    Case(
        "top-level scalar",
        [
            "3: speed = 3; unknown key. Known: format, title, let, reference, domain, fluid, start, "
            "regions, boundaries, bodies, time, method, output, observe and expect.",
        ],
        change={'title = "Test"': 'title = "Test"\nspeed = 3'},
    ),
    Case(
        "title type",
        [
            "2: title = 3; must be a text in quotes.",
        ],
        change={'title = "Test"': "title = 3"},
    ),
    Case(
        "table scalar",
        [
            "3: start = 3; must be a table. Write [start] on a line of its own.",
        ],
        change={'title = "Test"': 'title = "Test"\nstart = 3'},
    ),
    Case(
        "slip string",
        [
            '18: boundaries.left.slip = "yes"; must be true or false.',
        ],
        change={'left = { type = "wall" }': 'left = { type = "wall", slip = "yes" }'},
    ),
    Case(
        "gravity list strings",
        [
            '9: domain.gravity[1] = "-G"; unknown name `G`; known are D, H, pi.',
        ],
        change={"spacing = 0.01": 'spacing = 0.01\ngravity = [0, "-G"]'},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_lines(case: Case) -> None:
    expected = [line if line.startswith("--set") else f"a.toml:{line}" for line in case.lines]
    assert lines_of(case.text(), case.overrides) == expected


def test_base_is_right() -> None:
    world = World.from_text(BASE)
    assert world.notes == ("boundaries: right and bottom not named, so no-slip walls.",)


def test_more_particles_than_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "available_memory", lambda: 8_000_000_000)
    assert lines_of(BASE.replace("spacing = 0.01", "spacing = 1e-6")) == [
        "a.toml:8: domain.spacing = 1e-6 makes about 3.9e+11 particles, 235,250 GB; 8 GB of memory are free. "
        "Try 0.00018."
    ]


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("missing.toml", None, "{path}: no such file."),
        ("dam_brek.toml", None, '{path}: no such file. Did you mean "dam_break.toml"?'),
        (
            "latin.toml",
            b'format = 1\ntitle = "\xe9"\n',
            "{path}:2: not UTF-8 (byte 0xe9). Save the file as UTF-8.",
        ),
    ],
)
def test_files(tmp_path: Path, name: str, content: bytes | None, line: str) -> None:
    if "dam" in name:
        (tmp_path / "dam_break.toml").touch()
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(WorldError) as caught:
        World.load(path)
    assert str(caught.value) == line.format(path=path)


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "tank.toml").touch()
    with pytest.raises(WorldError) as caught:
        World.load(tmp_path)
    assert str(caught.value) == f"{tmp_path}: is a folder; must be a world file. It holds tank.toml."


def test_bare_name_lists_the_gallery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WorldError, match=r'^dam_brek: no such file. Did you mean "dam_break"\?$'):
        World.load("dam_brek")
    with pytest.raises(WorldError, match=r"^volcano: no such file. The gallery has couette, dam_break, "):
        World.load("volcano")


def test_empty_file() -> None:
    assert lines_of("") == [
        "a.toml:1: [domain] is missing; every world needs it. Add [domain] with size and spacing.",
        "a.toml:1: [fluid] is missing; every world needs it. Add [fluid] with density and kinematic_viscosity.",
        "a.toml:1: [time] is missing; every world needs it. Add [time] with end.",
        "a.toml:1: format is missing; every world needs it. Add format = 1.",
    ]


def test_set_needs_path_and_value() -> None:
    with pytest.raises(WorldError) as caught:
        parse_set(["let.a", "=3", "let.b = 2*c"])
    assert str(caught.value).splitlines() == [
        '--set: "=3" must be PATH=VALUE, for example domain.spacing=0.01.',
        '--set: "let.a" must be PATH=VALUE, for example domain.spacing=0.01.',
    ]
    assert parse_set(["let.b = 2*c", "time.end=1"]) == {"let.b": "2*c", "time.end": "1"}


def test_new_refuses(tmp_path: Path) -> None:
    with pytest.raises(
        WorldError, match=r"^my dam: must be a name of letters, digits, _ and -, for example my_world\.$"
    ):
        new_world("my dam", folder=tmp_path)
    with pytest.raises(
        WorldError, match=r'^dam_brek: no such world in the gallery\. Did you mean "dam_break"\?$'
    ):
        new_world("mine", "dam_brek", folder=tmp_path)
    (tmp_path / "mine.toml").touch()
    with pytest.raises(
        WorldError, match=r"mine\.toml: exists already\. Take another name, or remove the file\.$"
    ):
        new_world("mine", folder=tmp_path)
