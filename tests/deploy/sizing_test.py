"""What deploy/SIZING.md is computed from: the table is maglev's, and the needs follow from what was measured."""

import argparse
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "deploy"))

import sizing  # noqa: E402


def servers(count):
    return [f"10.1.0.{i}:7860" for i in range(count)]


def asked(**changed):
    usual = {"store": "redis", "token_every": 60, "save_interval": 1, "resident": 1, "cores": 8, "memory": 48,
             "store_memory": 64, "busy": 0.5}
    return argparse.Namespace(**{**usual, **changed})


def printed(*arguments):
    run = subprocess.run([sys.executable, os.path.join(ROOT, "deploy", "sizing.py"), *arguments],
                         capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


class MaglevTest(unittest.TestCase):
    def test_fills_the_table_of_the_papers_example(self):
        # Eisenbud et al. 2016, table 1: permutations (offset, skip) of three backends over seven entries.
        self.assertEqual(sizing.fill([(3, 4), (0, 2), (3, 1)], 7), [1, 0, 1, 0, 2, 2, 0])

    def test_fills_the_papers_example_without_the_second_backend(self):
        self.assertEqual(sizing.fill([(3, 4), (3, 1)], 7), [0, 0, 0, 0, 1, 1, 1])

    def test_every_server_has_the_same_number_of_entries(self):
        table = sizing.table_of(servers(10))
        counts = [table.count(server) for server in servers(10)]
        self.assertLessEqual(max(counts) - min(counts), 1)

    def test_a_server_that_leaves_moves_its_own_share_and_little_else(self):
        all_of_them = servers(16)
        share = sizing.moved(sizing.table_of(all_of_them), sizing.table_of(all_of_them[1:]))
        self.assertGreater(share, 1 / 16 - 0.001)
        self.assertLess(share, 2 / 16)

    def test_a_server_that_comes_back_takes_what_it_had(self):
        # Recorded: the table follows from the names alone, in every process and after any other table.
        sizing.table_of(servers(3))
        table = sizing.table_of(servers(4))
        self.assertEqual([servers(4).index(server) for server in table[:24]],
                         [3, 0, 0, 0, 1, 1, 1, 0, 0, 3, 2, 3, 2, 3, 0, 1, 2, 1, 2, 0, 2, 1, 2, 0])

    def test_streams_are_all_given_out(self):
        self.assertEqual(sum(sizing.stream_counts(sizing.table_of(servers(4))).values()), sizing.STREAMS)

    def test_more_servers_than_streams_leave_some_without_any(self):
        without = 300 - len(sizing.stream_counts(sizing.table_of(servers(300))))
        self.assertGreaterEqual(without, 300 - sizing.STREAMS)
        # Even chances leave 300 * (1 - 1 / 300)^256 = 128 of them without, give or take 5.2.
        self.assertLess(abs(without - 128), 4 * 5.2)


class NeedTest(unittest.TestCase):
    def test_a_save_interval_shorter_than_the_pause_saves_every_token(self):
        self.assertEqual(sizing.need(10**6, asked())["saves"], sizing.need(10**6, asked())["tokens"])

    def test_a_longer_save_interval_saves_less_often(self):
        self.assertAlmostEqual(sizing.need(3 * 10**6, asked(save_interval=300))["saves"], 10**4)

    def test_a_demoted_session_is_loaded_with_each_token(self):
        self.assertAlmostEqual(sizing.need(6 * 10**6, asked(resident=0.25))["loads"], 75_000)

    def test_a_demoted_session_is_saved_again_before_it_leaves(self):
        needed = sizing.need(6 * 10**6, asked(resident=0, save_interval=300))
        self.assertEqual(needed["saves"], needed["tokens"])

    def test_servers_have_room_for_all_rows(self):
        needed = sizing.need(10**8, asked())
        self.assertGreaterEqual(needed["servers"] * 48 * 2**30 * 5 / 8, 10**8 * 8731)

    def test_the_wall_is_whichever_is_reached_first(self):
        self.assertEqual(sizing.need(10**8, asked(save_interval=3600))["wall"], "bytes")
        self.assertEqual(sizing.need(10**8, asked(token_every=1))["wall"], "saves")


class SizingPageTest(unittest.TestCase):
    def test_the_page_has_the_tables_that_the_program_prints(self):
        with open(os.path.join(ROOT, "deploy", "SIZING.md"), encoding="utf-8") as file:
            page = file.read()
        for arguments in ([], ["--save_interval=300"], ["--save_interval=300", "--resident=0.02"]):
            for line in printed("need", *arguments):
                self.assertIn(line, page)

    def test_the_page_has_the_programs_movement(self):
        with open(os.path.join(ROOT, "deploy", "SIZING.md"), encoding="utf-8") as file:
            page = file.read()
        for line in printed("movement"):
            self.assertIn(line, page)


if __name__ == "__main__":
    unittest.main()
