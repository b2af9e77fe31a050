"""The files of docs/cluster: the manifest fits the part of KubeRay's schema that it uses, the script is valid bash."""

import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

FILES = Path(__file__).parent.parent.parent / "docs" / "cluster"
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
AMOUNTS = {"type": "object", "properties": {"cpu": {"type": "string"}, "memory": {"pattern": r"^\d+Gi$"}}}
CONTAINER = {
    "type": "object",
    "required": ["name", "image", "resources"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "image": {"type": "string"},
        "resources": {"type": "object", "required": ["limits"], "additionalProperties": AMOUNTS},
        "ports": {"type": "array", "items": {"type": "object", "required": ["containerPort"]}},
        "securityContext": {"type": "object"},
    },
}
TEMPLATE = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "required": ["containers"],
            "properties": {"containers": {"type": "array", "minItems": 1, "items": CONTAINER}},
        }
    },
}
COUNT = {"type": "integer", "minimum": 0}
SCHEMA = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "additionalProperties": False,
    "properties": {
        "apiVersion": {"const": "ray.io/v1"},
        "kind": {"const": "RayCluster"},
        "metadata": {"type": "object", "required": ["name"]},
        "spec": {
            "type": "object",
            "required": ["headGroupSpec", "workerGroupSpecs"],
            "additionalProperties": False,
            "properties": {
                "rayVersion": {"type": "string"},
                "enableInTreeAutoscaling": {"type": "boolean"},
                "headGroupSpec": {
                    "type": "object",
                    "required": ["template"],
                    "additionalProperties": False,
                    "properties": {"rayStartParams": TEXTS, "template": TEMPLATE},
                },
                "workerGroupSpecs": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["groupName", "template"],
                        "additionalProperties": False,
                        "properties": {
                            "groupName": {"type": "string"},
                            "replicas": COUNT,
                            "minReplicas": COUNT,
                            "maxReplicas": COUNT,
                            "rayStartParams": TEXTS,
                            "template": TEMPLATE,
                        },
                    },
                },
            },
        },
    },
}
"""Of the custom resource `rayclusters.ray.io`: the fields that we use, and no others."""


def manifest():
    return yaml.safe_load((FILES / "kuberay.yaml").read_text(encoding="utf-8"))


def test_the_manifest_fits_the_schema():
    jsonschema.validate(manifest(), SCHEMA)
    for group in manifest()["spec"]["workerGroupSpecs"]:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]


def test_a_misspelt_field_would_be_noticed():
    wrong = manifest()
    wrong["spec"]["workerGroupSpec"] = []
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)


def test_the_script_is_valid_bash():
    subprocess.run(["bash", "-n", FILES / "slurm.sh"], check=True)
