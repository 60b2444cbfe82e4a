import os

import pytest
from hypothesis import HealthCheck, settings

# Programs of their own, and what they import.
collect_ignore_glob = ["chaos/*", "fuzz/*"]

# Kernels are compiled by whatever test comes first on a machine, here or in processes of its own.
os.environ["PYTHONWARNINGS"] = "ignore:compiling the"

# Hundreds of processes import the package: its bytecode is kept, where the kernels are, too.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Derandomised: a red run is red for everybody, and no time is asserted.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("ci")


@pytest.fixture(scope="session")
def service():
    """The url of a stand-in for Amplify AE."""
    from ae_stand_in import stand_in

    with stand_in() as url:
        yield url
