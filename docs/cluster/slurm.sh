#!/bin/bash
# cwm-agent on a Slurm cluster: sbatch docs/cluster/slurm.sh. The environment lies on a disk that all nodes share.
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
set -euo pipefail
source "${CWM_AGENT_VENV:?set it to the folder of the virtual environment}/bin/activate"
port=6379
nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=$(head -n 1 <<<"$nodes")
address=$(srun --nodes=1 --ntasks=1 -w "$head" hostname --ip-address | awk '{print $1}')

srun --nodes=1 --ntasks=1 -w "$head" \
  ray start --head --node-ip-address="$address" --port="$port" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
timeout 120 bash -c "until ray status --address '$address:$port' >/dev/null 2>&1; do sleep 2; done"
for node in $(tail -n +2 <<<"$nodes"); do
  srun --nodes=1 --ntasks=1 -w "$node" \
    ray start --address="$address:$port" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
done

srun --overlap --nodes=1 --ntasks=1 -w "$head" \
  cwm-agent solve repair --cluster "$address:$port" --out "runs/slurm-$SLURM_JOB_ID" "$@"
