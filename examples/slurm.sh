#!/bin/bash
# A run under Slurm, on several nodes. A sample: set partition, account and sizes for your site, then
#
#   sbatch slurm.sh WORLD [OPTION ...]                      a new run, with options of `eddyline run`
#   sbatch --export=ALL,RESUME=FOLDER slurm.sh              goes on with a run from its last checkpoint
#
#SBATCH --job-name=eddyline
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
#SBATCH --output=%x-%j.out
# Three minutes before the time is up all ranks are told, and end with a checkpoint and a report.
#SBATCH --signal=TERM@180
set -euo pipefail

# The environment that Eddyline is installed in: pip install 'eddyline[mpi]'
if [ -n "${VENV:-}" ]; then
  source "$VENV/bin/activate"
fi

# pmi2 for the MPICH of eddyline[mpi], pmix for a site's Open MPI; `srun --mpi=list` says what there is.
start=(srun --mpi="${MPI_TYPE:-pmi2}" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}")
threads=(--threads "${SLURM_CPUS_PER_TASK:-1}")

if [ -n "${RESUME:-}" ]; then
  "${start[@]}" eddyline resume "$RESUME" "${threads[@]}" "$@"
else
  world=${1:?"name a world: sbatch slurm.sh WORLD [OPTION ...]"}
  shift
  name=$(basename "$world" .toml)
  "${start[@]}" eddyline run "$world" "${threads[@]}" --out "runs/$name-${SLURM_JOB_ID:-local}" "$@"
fi
