"""The servers that are asked without a proxy."""

import pytest

from aaren.client.proxy import is_direct


@pytest.mark.parametrize(
    ("target", "no_proxy", "direct"),
    [
        ("127.0.0.1:1", "", True),
        ("localhost:1", "", True),
        ("[::1]:1", "", True),
        ("ipv4:127.0.0.1:1,127.0.0.2:1", "", True),
        ("ipv4:127.0.0.1:1,10.0.0.2:1", "", False),
        ("unix:/s", "", True),
        ("a.example:1", "", False),
        ("a.example:1", "*", True),
        ("dns:///a.example:1", "b.example, .example", True),
        ("10.1.2.3:1", "10.0.0.0/8", True),
        ("11.1.2.3:1", "10.0.0.0/8", False),
        ("[fd00::5]:1", "fd00::/8", True),
        ("110.0.0.1:1", "10.0.0.1", False),
        ("10.0.0.1:1", "10.0.0.0/33,/8,", False),
    ],
)
def test_proxies_are_left_out_for_this_machine_and_for_exceptions(monkeypatch, target, no_proxy, direct):
    for name in ("no_grpc_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", no_proxy)
    assert is_direct(target) == direct
