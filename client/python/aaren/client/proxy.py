"""Which servers are asked without the HTTP proxy that the environment names: the rules of the C++ client.

gRPC itself knows hosts and ends of names in `no_proxy`. This adds servers on this machine, `*`, networks and NO_PROXY.
"""

from __future__ import annotations

import ipaddress
import os
import re


def _hosts(target: str) -> list[str]:
    """The hosts of dns:///host:port, ipv6:[::1]:port, ipv4:10.0.0.1:80,10.0.0.2:80 or host:port."""
    path = re.sub(r"^(dns|ipv4|ipv6):", "", target.rpartition("/")[2])
    return [_without_port(host) for host in path.split(",")]


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_in(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    if address := _address(host):
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    return f".{host.lower()}".endswith(".localhost")


def _excepts(entry: str, host: str) -> bool:
    if entry == "*" or _is_in(host, entry):
        return True
    named = _without_port(entry)
    if address := _address(named):
        return address == _address(host)
    return f".{host.lower()}".endswith(named.removeprefix("*").lower())


def _is_excepted(host: str) -> bool:
    names = ("no_grpc_proxy", "no_proxy", "NO_PROXY")
    listed = next((os.environ[name] for name in names if os.environ.get(name)), "")
    return any(_excepts(entry, host) for entry in re.split(r"[,\s]+", listed) if entry)


def is_direct(target: str) -> bool:
    """Whether gRPC has to connect to a target by itself."""
    if target.startswith(("unix:", "unix-abstract:")):
        return True
    return all(_is_loopback(host) or _is_excepted(host) for host in _hosts(target))
