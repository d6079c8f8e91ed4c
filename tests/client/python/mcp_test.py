"""The sessions of the Model Context Protocol server: a call takes all its values or none, and calls take turns."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from aaren.mcp import forecast, session_list, session_update

GREAT = 1e39  # no 32-bit float


@pytest.mark.parametrize(
    ("values", "columns"),
    [([2.0, 3.0, GREAT], ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])), ([2.0, 3.0, 4.0], ([1.0, 2.0, GREAT], [4.0, 5.0, 6.0])),
     ([2.0, 3.0, 4.0], ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0, GREAT]))],
)  # fmt: skip
def test_refused_values_leave_the_session_as_it_was(values, columns):
    names = "sun", "known"
    name = f"refused-{values}-{columns}"
    session_update(name, [1.0], 1, {"sun": [1.0], "known": [2.0, 3.0]})
    with pytest.raises(ToolError):
        session_update(name, values, 1, dict(zip(names, columns, strict=True)))
    assert session_list()[name] == 1
    columns = {"sun": [1.0, 2.0], "known": [3.0, 4.0, 5.0]}
    told = session_update(name, [2.0, 3.0], 1, columns)
    whole = {"sun": [1.0, 1.0, 2.0], "known": [2.0, 3.0, 4.0, 5.0]}
    assert told["quantiles"] == forecast([1.0, 2.0, 3.0], 1, whole)["quantiles"]


def test_refused_values_leave_a_session_without_covariates_as_it_was():
    session_update("plain", [1.0])
    with pytest.raises(ToolError):
        session_update("plain", [2.0, 3.0, GREAT])
    assert session_update("plain", [2.0])["seq"] == 2


def test_calls_of_several_threads_take_turns():
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: session_update("shared", [float(i), 2.0]), range(100)))
    assert session_list()["shared"] == 200
