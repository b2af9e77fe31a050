"""A real Ray cluster of three nodes on loopback: the same episodes as locally, whatever is killed, and nothing left."""

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import ray

sys.path.insert(0, str(Path(__file__).parent))
from cluster_work import ScriptedWork
from ray_cluster import adopt_orphans, descendants, kill, marked_path, new_processes, node_options, python, three_nodes

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.domain_registry import domain_named
from cwm_agent.agent.episodes.episode import read
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.jobs.errors import ClusterError, MissingOnNode, StoreFull, VersionMismatch
from cwm_agent.jobs.job_loop import JobListeners, run_jobs
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.jobs.protocol import Finished, LostItem
from cwm_agent.jobs.ray_connection import connected
from cwm_agent.oracles.service.oracle_replica import OracleService
from cwm_agent.rollouts.collection import collect
from cwm_agent.rollouts.rollout_policies import random_policy
from cwm_agent.rollouts.rollout_rows import read_rows
from cwm_agent.rollouts.rollout_run import RolloutRun
from cwm_agent.training.data_feed import Feed, draw_rows
from cwm_agent.training.example import Share
from cwm_agent.training.recipe import DataMix
from cwm_agent.verification.view_verification import VerifySettings, verify_tasks
from tasks import load

BUDGET = Budget(executions=3, seconds=10_000, comparisons=0)
BLIND = Settings(planner="baseline", oracle="none", policy="none", budget=BUDGET)
IMAGINING = Settings(oracle="exact", policy="none", ceiling=True, budget=Budget(2, steps=100, seconds=10_000))
FULL_DISK = {"automatic_object_spilling_enabled": False, "local_fs_capacity_threshold": 0.0001}
"""A node whose object store is full has no other place for results."""


def tasks(count):
    return [task for task in load("repair").tasks if task.split == "dev"][:count]


def outcome(episode):
    """An episode without what a clock measured."""
    kept = asdict(episode)
    kept["spent"] = {name: value for name, value in kept["spent"].items() if "seconds" not in name}
    return {
        name: kept[name] for name in ("task", "solved", "right", "patch", "diff", "runs", "trusted", "problem", "spent")
    }


def solved(out, count, settings, placement, **listeners):
    """The episodes of a run, by task; each row of the file is one task."""
    run_tasks(domain_named("repair"), tasks(count), settings, out, placement=placement, **listeners)
    rows = [json.loads(line)["task"] for line in (out / "episodes.jsonl").read_text().splitlines()]
    assert sorted(rows) == sorted(task.id for task in tasks(count))
    return {episode.task: outcome(episode) for episode in read(out / "episodes.jsonl")}


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left_behind():
    adopt_orphans()
    before = descendants()
    yield
    left = new_processes(before)
    assert not left, left


@pytest.fixture(scope="module")
def cluster(nothing_is_left_behind):
    with three_nodes(system_config=FULL_DISK) as made:
        yield made


@pytest.fixture(scope="module")
def placement(cluster):
    return Placement(3, cluster.address)


@pytest.fixture(scope="module")
def blind(tmp_path_factory):
    return solved(tmp_path_factory.mktemp("here"), 20, BLIND, HERE)


def workers(title):
    return [number for number, command in descendants().items() if title in command]


def test_the_cluster_listens_on_loopback_only(cluster):
    listening = subprocess.run(["ss", "-ltnp"], capture_output=True, text=True, check=True).stdout.splitlines()
    ours = [line for line in listening if any(f"pid={number}," in line for number in descendants())]
    assert ours
    assert all("127.0.0.1" in line.split()[3] for line in ours), ours


def test_twenty_tasks_give_the_same_episodes_with_a_worker_and_a_node_killed(cluster, placement, blind, tmp_path):
    """Every task exactly once; the nodes' counts add up to the tasks and show what was lost."""
    node = cluster.add_node(**node_options())
    seen = []

    def strike(episode, done, total):
        if done == 3:
            kill(next(iter(workers("ray::RayWorker"))))
        if done == 8:
            cluster.remove_node(node, allow_graceful=False)

    placed = Placement(4, cluster.address)
    found = solved(tmp_path, 20, BLIND, placed, on_episode=strike, on_nodes=lambda nodes: seen.append(nodes))
    assert found == blind
    assert sum(count.done for count in seen[-1]) == 20
    assert sum(count.lost for count in seen[-1]) >= 1
    assert {count.isolation for count in seen[-1]} <= {"bubblewrap", "landlock"}


def test_replicas_answer_all_workers_and_are_restarted(placement, tmp_path):
    """A replica is killed in mid-run; the episodes are those of an oracle in this process."""
    here = solved(tmp_path / "here", 3, IMAGINING, HERE)
    struck = []

    def strike(episode, done, total):
        if not struck:
            struck.extend(workers("ray::OracleReplica")[:1])
            kill(struck[0])

    served = Placement(2, placement.cluster, service=OracleService("exact", 2, shared_cache=True))
    assert solved(tmp_path / "served", 3, IMAGINING, served, on_episode=strike) == here
    assert struck


def test_a_killed_driver_is_resumed_and_leaves_nothing(cluster, blind, tmp_path):
    options = ["--planner", "baseline", "--oracle", "none", "--policy", "none", "--budget-executions", "3"]
    options += ["--budget-seconds", "10000", "--budget-comparisons", "0", "--limit", "20", "--split", "dev"]
    command = python("cwm_agent.solve", "tasks/repair", *options, "--cluster", cluster.address, "--jobs", "2")
    with marked_path(), subprocess.Popen([*command, "--out", tmp_path], stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        for line in driver.stdout:
            if line.startswith("[2/20]"):
                break
        before = [number for number in descendants() if number not in workers("ray::RayWorker")]
        driver.kill()
    new_processes(before, 60)  # waits until what the driver started has ended
    assert not workers("ray::RayWorker")
    whole = (tmp_path / "episodes.jsonl").read_bytes().count(b"\n")
    assert 2 <= whole < 20
    with marked_path():
        subprocess.run([*command, "--resume", tmp_path], capture_output=True, check=False)
    assert {episode.task: outcome(episode) for episode in read(tmp_path / "episodes.jsonl")} == blind
    assert (tmp_path / "episodes.jsonl").read_bytes().count(b"\n") == 20


def test_verify_rollouts_and_training_rows_are_the_same_as_locally(placement, tmp_path):
    with connected(placement.cluster):
        trace = VerifySettings(oracle="exact", guides=["grounded"], limit=10, placement=placement)
        [there] = verify_tasks("repair/strings", trace)
        [here] = verify_tasks("repair/strings", VerifySettings(oracle="exact", guides=["grounded"], limit=10))
        clocks = ("seconds", "remembered", "tokens")
        assert {key: there[key] for key in there if key not in clocks} == {
            key: here[key] for key in here if key not in clocks
        }
        run = RolloutRun("cwm_agent/Permutation-v0")
        for name, where in (("here", HERE), ("there", placement)):
            collect(run, 12, tmp_path / f"{name}.jsonl", random_policy, width=3, placement=where)
        assert read_rows(tmp_path / "there.jsonl") == read_rows(tmp_path / "here.jsonl")
        mix = DataMix((Share("copies", "cwm_agent.training.steps.copy_task:copies"),), 128)
        with Feed(mix, batch=3, placement=Placement(1, placement.cluster)) as feed:
            rows = feed.next()
        stream = draw_rows(mix, 0)
        assert np.array_equal(rows, np.stack([next(stream) for _ in range(3)], axis=1))


def test_a_lost_item_has_the_log_of_its_worker_and_large_results_are_refused(placement, tmp_path):
    states = []
    once = Placement(2, placement.cluster, retries=0)
    work, batches = ScriptedWork(tmp_path), [[1], ["crash"], [2], ["much:65"]]
    found = list(run_jobs(work, batches, once, JobListeners(on_state=states.append)))
    lost = {each.item: each for each in found if isinstance(each, LostItem)}
    assert "the last word of a worker" in str(lost["crash"])
    assert "a worker sends 64 MiB at most" in lost["much:65"].reason
    assert sorted(each.value for each in found if isinstance(each, Finished)) == [1, 4]
    assert "open" in states


def test_a_full_object_store_is_one_sentence(cluster, placement, tmp_path):
    with connected(placement.cluster):
        held = [ray.put(np.ones(70 * 2**20, np.uint8))]  # on the driver's node
        with pytest.raises(StoreFull, match="--object-store-memory"):
            list(run_jobs(ScriptedWork(tmp_path), [["much:40"]] * 6, Placement(6, placement.cluster)))
        assert held


def test_a_plug_in_that_the_nodes_lack_is_one_sentence_and_a_runtime_environment_brings_it(cluster, tmp_path):
    (tmp_path / "far_oracle").mkdir()
    (tmp_path / "far_oracle" / "__init__.py").write_text(
        "from cwm_agent.oracles.backends.no_oracle import NoOracle\nmake = NoOracle\n"
    )
    settings = Settings(oracle="far_oracle:make", policy="none", budget=Budget(1, seconds=10_000, steps=1))
    bare = Placement(1, cluster.address)
    with pytest.raises(MissingOnNode, match=r"'far_oracle'.*--runtime-env") as caught:
        solved(tmp_path / "bare", 1, settings, bare)
    assert "\n" not in str(caught.value)
    shipped = Placement(1, cluster.address, {"py_modules": [str(tmp_path / "far_oracle")]})
    assert len(solved(tmp_path / "shipped", 1, settings, shipped)) == 1


def test_a_node_without_isolation_refuses_and_one_of_another_version_ends_the_run(cluster, tmp_path):
    """Each node has a start-up file that takes its isolation away, or changes the version."""
    patches = {
        "bare": "from envs.execution.sandbox.isolation import worker_pool\n"
        "worker_pool.why_not = lambda name: f'{name} is not installed'\n",
        "old": "import cwm_agent\ncwm_agent.__version__ = '0.0.1'\n",
    }
    for name, text in patches.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "sitecustomize.py").write_text(
            f"import sys\nif 'default_worker.py' in ' '.join(sys.orig_argv):\n    {text.strip().replace(chr(10), chr(10) + '    ')}\n"
        )
    with marked_path():
        path = os.environ["PYTHONPATH"]
    refused = {}

    def note(nodes):
        refused.update({count.name: count.refused for count in nodes if count.refused})

    for name in patches:
        node = cluster.add_node(**node_options(), env_vars={"PYTHONPATH": f"{tmp_path / name}{os.pathsep}{path}"})
        work = ScriptedWork(tmp_path, isolates=name == "bare")
        batches = ([1] for _ in iter(partial(len, refused if name == "bare" else {}), 1))
        running = run_jobs(work, batches, Placement(8, cluster.address), JobListeners(on_nodes=note))
        try:
            if name == "old":
                with pytest.raises(VersionMismatch, match=r"0\.0\.1 where the driver has"):
                    all(running)
            else:
                assert all(each.node not in refused for each in running)
        finally:
            running.close()
            cluster.remove_node(node, allow_graceful=False)
    assert ["not installed" in reason for reason in refused.values()] == [True]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("127.0.0.1:1", "No Ray cluster answers at 127.0.0.1:1"),
        ("ray://127.0.0.1:1", "Ray Client"),
        ("nowhere", "is no address of a cluster"),
    ],
)
def test_a_wrong_address_is_one_sentence(address, words, tmp_path):
    with pytest.raises(ClusterError, match=re.escape(words)) as caught:
        list(run_jobs(ScriptedWork(tmp_path), [[1]], Placement(1, address)))
    assert "\n" not in str(caught.value)


def test_another_version_of_ray_is_one_sentence(cluster, tmp_path):
    """The cluster's own record of its version is changed for a moment."""
    with connected(cluster.address):
        from ray._common.usage.usage_constants import CLUSTER_METADATA_KEY
        from ray._private.ray_constants import KV_NAMESPACE_CLUSTER
        from ray.experimental import internal_kv

        key, space = CLUSTER_METADATA_KEY, KV_NAMESPACE_CLUSTER
        kept = internal_kv._internal_kv_get(key, namespace=space)
        internal_kv._internal_kv_put(key, json.dumps(json.loads(kept) | {"ray_version": "1.0"}), True, namespace=space)
    try:
        with pytest.raises(VersionMismatch, match="has other versions"), connected(cluster.address):
            pass
    finally:
        from ray._raylet import GcsClient

        GcsClient(address=cluster.address).internal_kv_put(key, kept, True, space)
