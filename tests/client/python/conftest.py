"""Fixtures: the package as it was built, real servers, and a series. AAREN_BIN and PYTHONPATH come from ctest."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "e2e"))
sys.path.insert(0, str(Path(__file__).parents[2] / "deploy"))

import aaren
import programs


@pytest.fixture(scope="session")
def model():
    return aaren.Forecaster()


@pytest.fixture(scope="module")
def server():
    running = programs.Server()
    yield running
    running.close()


@pytest.fixture
def start_server():
    """Starts servers of the test's own; `listen` fixes the address."""
    servers = []

    def start(*flags, **options):
        servers.append(programs.Server(*flags, **options))
        return servers[-1]

    yield start
    for running in servers:
        running.close()


@pytest.fixture
def durable(tmp_path):
    """The flags of a server that saves often, on an address it comes back to."""
    return ["--store=rocksdb", f"--data_dir={tmp_path}/data", "--save_interval=100ms"]


@pytest.fixture(scope="session")
def series():
    """An hourly season, noise, a jump, gaps and an outage."""
    chance = np.random.default_rng(7)
    t = np.arange(2000)
    values = 20 + 5 * np.sin(t * 2 * np.pi / 24) + chance.normal(0, 0.5, len(t)) + np.where(t > 1500, 30, 0)
    values[chance.integers(0, len(t), 40)] = np.nan
    values[900:930] = np.nan
    return values
