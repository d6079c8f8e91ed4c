"""How many servers so many sessions need, and what moves when a server joins or leaves. SIZING.md explains the tables.

Movement is that of Envoy's maglev (Eisenbud et al. 2016, section 3.4, listing 1): a table of 65,537 entries, filled in
turn by each server's own permutation. Envoy hashes with xxHash64, this program with BLAKE2; shares do not depend on it.
"""

import argparse
import hashlib
import math

TABLE = 65537    # Envoy's default, a prime
STREAMS = 256    # values of the header aaren-stream, at most
GROUPS = (4, 16, 64, 256)
SIZES = (10**6, 10**7, 10**8, 10**9)

# Measured by aaren-bench (tests/bench/RESULTS.md).
RESIDENT_BYTES = 8731     # of a session in memory, its row of 8,192 included
DEMOTED_BYTES = 88        # of an open session whose row is in the store only
ROW_BYTES = 8192
TOKENS_PER_CORE = 70_000  # a second, in large batches
STORES = {                # bytes a session; Opens, saves and loads a second
    "redis": (10_808, 24_200, 19_760, 29_060),
    "rocksdb": (13_215, 42_640, 10_770, 13_250),
}


def number(text, salt):
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8, salt=salt).digest(), "big")


def permutation(server, size=TABLE):
    """Where a server's permutation begins, and how far apart its entries are."""
    return number(server, b"offset") % size, number(server, b"skip") % (size - 1) + 1


def fill(permutations, size=TABLE):
    """The table: for each entry the index of its server. The servers take an entry each, in turn."""
    table = [None] * size
    at = [offset for offset, _ in permutations]
    for taken in range(size):
        server = taken % len(permutations)
        while table[at[server]] is not None:
            at[server] = (at[server] + permutations[server][1]) % size
        table[at[server]] = server
    return table


def table_of(servers):
    return [servers[i] for i in fill([permutation(server) for server in servers])]


def moved(before, after):
    return sum(a != b for a, b in zip(before, after)) / len(before)


def stream_counts(table, streams=STREAMS):
    """How many of the streams each server has that has any."""
    counts = {}
    for stream in range(streams):
        server = table[number(str(stream), b"stream") % len(table)]
        counts[server] = counts.get(server, 0) + 1
    return counts


def movement(count):
    """Shares that move when one joins or leaves, moves a session when each is drained in turn, streams a server."""
    servers = [f"10.0.{i // 256}.{i % 256}:7860" for i in range(count + 1)]
    table = table_of(servers[:count])
    joins = moved(table, table_of(servers))
    some = servers[:count:max(1, count // 8)]  # they differ by little
    leaves = [moved(table, table_of([other for other in servers[:count] if other != server])) for server in some]
    leave = sum(leaves) / len(leaves)
    return joins, leave, 2 * count * leave, stream_counts(table)


def print_movement(args):
    _, opens, _, loads = STORES[args.store]
    print("| servers | one joins | ideal | one leaves | ideal | busies the store for | all drained in turn, "
          "moves a session | busiest server's share of 256 streams | even | servers without a stream |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for count in GROUPS:
        joins, leaves, rolling, streams = movement(count)
        seconds = leaves * args.sessions * (1 / opens + 1 / loads)
        print(f"| {count} | {joins:.2%} | {1 / (count + 1):.2%} | {leaves:.2%} | {1 / count:.2%} | {seconds:.0f} s "
              f"| {rolling:.2f} | {max(streams.values()) / STREAMS:.1%} | {1 / count:.1%} | {count - len(streams)} |")


def need(sessions, args):
    """What sessions ask for. `wall` is what a store has too little of first, `share` how much of it is asked."""
    bytes_each, _, saves_most, loads_most = STORES[args.store]
    tokens = sessions / args.token_every
    loads = tokens * (1 - args.resident)
    # A row that has to make room again is saved first, whatever the interval.
    saves = sessions * args.resident / max(args.token_every, args.save_interval) + loads
    memory = sessions * (args.resident * RESIDENT_BYTES + (1 - args.resident) * DEMOTED_BYTES)
    by_cores = tokens / (TOKENS_PER_CORE * args.busy * args.cores)
    by_memory = memory / (args.memory * 2**30 * 5 / 8)  # what a server gives to sessions
    walls = {"saves": saves / saves_most, "loads": loads / loads_most,
             "bytes": sessions * bytes_each / (args.store_memory * 2**30)}
    return {"tokens": tokens, "memory": memory, "servers": max(1, math.ceil(max(by_cores, by_memory))),
            "saves": saves, "save_bytes": saves * ROW_BYTES, "loads": loads, "store_bytes": sessions * bytes_each,
            "stores": max(1, math.ceil(max(walls.values()))), "wall": max(walls, key=walls.get),
            "share": max(walls.values())}


def gigabytes(count):
    return f"{count / 1e9:,.1f} GB"


def print_need(args):
    print("| sessions | tokens/s | rows in servers | servers | saves/s | MB/s | loads/s | in the store | stores "
          "| the fullest of a store |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for sessions in SIZES:
        n = need(sessions, args)
        print(f"| 10^{round(math.log10(sessions))} | {n['tokens']:,.0f} | {gigabytes(n['memory'])} | {n['servers']:,} "
              f"| {n['saves']:,.0f} | {n['save_bytes'] / 1e6:,.0f} | {n['loads']:,.0f} | {gigabytes(n['store_bytes'])} "
              f"| {n['stores']:,} | {n['wall']}, {n['share']:.2f} of one |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("need", "movement"))
    parser.add_argument("--store", choices=STORES, default="redis")
    parser.add_argument("--token_every", type=float, default=60, help="seconds between two tokens of a session")
    parser.add_argument("--save_interval", type=float, default=1, help="seconds, as aaren-server has it")
    parser.add_argument("--resident", type=float, default=1, help="share of sessions whose rows stay in memory")
    parser.add_argument("--cores", type=int, default=8, help="of a server")
    parser.add_argument("--memory", type=float, default=48, help="GiB, as aaren-server's --memory")
    parser.add_argument("--store_memory", type=float, default=64, help="GiB of one store: memory or disk")
    parser.add_argument("--sessions", type=float, default=5e6, help="that one store has, for `movement`")
    parser.add_argument("--busy", type=float, default=0.5, help="share of the cores that tokens may take")
    args = parser.parse_args()
    if args.what == "movement":
        print_movement(args)
    else:
        print_need(args)


if __name__ == "__main__":
    main()
