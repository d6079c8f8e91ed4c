"""Programs that a fresh clone cannot have, and that deploy/setup installs in parts."""

import os
import unittest


def require(found, lacking, part):
    """What was found. Without it the test is skipped and says so, or fails where AAREN_REQUIRE names the part, as
    `tests/run --with=envoy,collector` does."""
    if not found:
        required = part in os.environ.get("AAREN_REQUIRE", "").split(",")
        raise (AssertionError if required else unittest.SkipTest)(f"{lacking} is missing: deploy/setup --with-{part} installs it")
    return found
