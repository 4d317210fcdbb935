"""Terms of other codes: features that Eddyline lacks, with codes that have them, and different names in
Eddyline."""

from __future__ import annotations

_BODIES = (
    "bodies are circles, rectangles, polygons, lines and wing sections in 2D, and spheres, boxes, cylinders "
    "and wings in 3D"
)

_GROUPS: tuple[tuple[str, str], ...] = (
    # Missing features. Only tools that certainly have them are named.
    (
        "stl obj ply iges cad dxf geometry geometry_file",
        f"Eddyline reads no geometry files: {_BODIES}. DualSPHysics and OpenFOAM read STL.",
    ),
    (
        "surface_tension tension sigma capillary contact_angle wetting",
        "Eddyline has no surface tension; PySPH and Basilisk have it.",
    ),
    (
        "heat thermal heat_transfer conduction thermal_conductivity boussinesq buoyancy",
        "Eddyline has heat in liquids only as a scalar that does not act on the flow (docs/modules.md); "
        "OpenFOAM has buoyancy.",
    ),
    (
        "turbulence_model k_epsilon k_omega rans les smagorinsky sps wall_function eddy_viscosity",
        'Eddyline has one turbulence model, fluid.turbulence = "spalart_allmaras"; OpenFOAM and SU2 have '
        "others.",
    ),
    (
        "gpu cuda hip opencl",
        "Eddyline runs on CPUs, and the solver sph on GPUs with --device gpu, see docs/gpu.md.",
    ),
    (
        "conda docker singularity apptainer spack",
        "Eddyline is built from source: its Dockerfile makes an image, recipe/ a conda package, and "
        "`make wheel` a wheel.",
    ),
    (
        "multiphase two_phase phase phases air gas_phase bubble vof level_set",
        "Eddyline has one fluid; the rest of the domain is empty. Basilisk and OpenFOAM have two-phase flow.",
    ),
    (
        "rigid_body floating floater free_body mass inertia moment_of_inertia six_dof mooring",
        "bodies rest or move as prescribed by [bodies.NAME.motion]; the flow does not move them. "
        "DualSPHysics has floating bodies.",
    ),
    (
        "fsi elastic elasticity young_modulus youngs_modulus poisson_ratio deformable",
        "Eddyline has rigid bodies only; SPHinXsys and TrixiParticles.jl have elastic ones.",
    ),
    (
        "porous porosity permeability darcy",
        "Eddyline has no porous media; OpenFOAM and Palabos have them.",
    ),
    (
        "sediment erosion granular dem grain sand",
        "Eddyline has no sediment and no grains; LAMMPS has granular flow.",
    ),
    (
        "non_newtonian power_law bingham herschel_bulkley carreau yield_stress rheology viscosity_model",
        "Eddyline has fluids of constant viscosity only; OpenFOAM has other laws.",
    ),
    (
        "adaptive adaptivity refinement variable_resolution multi_resolution",
        "all particles have the same domain.spacing; the solver amr has levels of cells (method.levels).",
    ),
    (
        "concentration scalar dye tracer species combustion reaction chemistry",
        "Eddyline has no scalar transport and no reactions; OpenFOAM has both.",
    ),
    (
        "incompressible isph projection",
        "Eddyline has weakly compressible schemes only: method.scheme.",
    ),
    ("self_gravity cosmology", "Eddyline has no self-gravity; SWIFT, Phantom and GADGET have it."),
    ("mhd magnetic_field", "Eddyline has no magnetic fields; Phantom has them."),
    (
        "axisymmetric axisymmetry wedge",
        "Eddyline has 2D and 3D only; Basilisk and OpenFOAM have axisymmetry.",
    ),
    # Features with another name in Eddyline.
    ("dx dp particle_spacing particle_size", "it is called domain.spacing [m] here."),
    ("h smoothing_length", "it is method.smoothing_ratio here, in spacings."),
    (
        "kernel",
        'the kernel follows from method.scheme: Wendland C2 for "delta", cubic spline for "classic".',
    ),
    ("restart continue", "use `eddyline resume RUN`, which continues from the last checkpoint."),
    (
        "vtk vtu pvd hdf5 paraview",
        "every run writes output.snapshots for ParaView; `eddyline export RUN --vtkhdf` combines them in "
        "one file.",
    ),
    ("csv", "`eddyline export RUN --csv` writes the series of a run as tables."),
    (
        "movie video animation film",
        "every run writes a movie of output.pictures frames; `eddyline export RUN --mp4` writes another one.",
    ),
    (
        "openfoam dualsphysics pysph xml yaml",
        "Eddyline reads only its own world files; `eddyline new NAME` creates one.",
    ),
    ("freestream free_stream farfield", 'it is type = "stream" here, with a velocity.'),
    ("inlet", 'it is type = "inflow" here.'),
    ("outlet", 'it is type = "outflow" here.'),
    ("cyclic", 'it is type = "periodic" here.'),
    ("symmetry free_slip freeslip", 'it is type = "wall" with slip = true here.'),
    ("no_slip noslip", 'it is type = "wall" here: walls are no-slip unless slip = true.'),
    ("moving_wall lid", 'it is type = "wall" with a velocity here.'),
    ("pressure_probe velocity_probe sensor pressure_sensor", 'it is type = "probe" here, with a position.'),
    ("wave_gauge level_probe water_level", 'it is type = "gauge" here, with a position.'),
    (
        "force_probe drag lift",
        "every body and wall has a series of its force by default: force.NAME.",
    ),
    ("flow_rate flux discharge", "every opening has the series opening.NAME.mass_flow by default."),
    ("wave_maker wavemaker piston paddle", "it is a body with [bodies.NAME.motion] here."),
    (
        "dt timestep delta_t",
        "the time step follows from the flow; method.cfl scales it.",
    ),
    ("t_end tmax end_time duration", "it is called time.end [s] here."),
    ("rho rho0", "it is called fluid.density [kg/m^3] here."),
    ("nu", "it is called fluid.kinematic_viscosity [m^2/s] here."),
    ("mu", "it is called fluid.dynamic_viscosity [Pa s] here."),
    ("c0 speed_of_sound", "it is called fluid.sound_speed [m/s] here."),
    (
        "initial_conditions initial_velocity",
        "it is [start] here: its velocity and pressure are formulas of x, y, z.",
    ),
    ("np nproc mpi processes processors", "it is --ranks N here."),
    ("omp cores", "it is --threads N here."),
    ("view plot visualize gui", "open report.html of a run, or see it in `eddyline lab`."),
    ("gallery examples tutorials", "`eddyline list` lists the worlds of the gallery."),
    ("init", "it is `eddyline new NAME` here."),
    ("mpirun", "it is `eddyline run WORLD --ranks N` here."),
)
ANSWERS: dict[str, str] = {word: text for words, text in _GROUPS for word in words.split()}
"""Answers by the word that users type, in lower case and with _ for -."""


def answer(word: str) -> str | None:
    """A sentence about a missing or renamed feature; None for other words. word: a key, a value, such as
    "ship.stl", a command or an option with its dashes."""
    name = word.strip().lstrip("-").lower().replace("-", "_").replace(" ", "_")
    for known in (name, name.rpartition(".")[2], name.removesuffix("s")):
        if known in ANSWERS:
            text = ANSWERS[known]
            return text if text.startswith("`") else text[0].upper() + text[1:]
    return None
