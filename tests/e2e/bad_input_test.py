"""What a newcomer gets wrong: each mistake is named, exits non-zero, and harms nothing."""

import os
import signal
import socket
import subprocess
import time
import unittest

from programs import BIN, ServerTest, aaren, objects, start_aaren, write_series


class BadInputTest(ServerTest):
    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def stream(self, csv, *flags):
        return aaren("stream", f"--target={self.server.target}", f"--csv={csv}", "--json", *flags)

    def refused(self, result, *words):
        self.assertNotEqual(result.returncode, 0, result.stdout)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_unknown_flag_is_named(self):
        self.refused(aaren("stream", "--colour=blue"), "colour")

    def test_unknown_subcommand_is_named(self):
        self.refused(aaren("strean"), "strean")

    def test_missing_file_is_named(self):
        self.refused(self.stream(self.path("nowhere.csv")), "nowhere.csv")

    def test_unknown_column_is_named_with_those_there_are(self):
        csv = self.write("a.csv", b"date,load\n2024-01-01,1\n")
        self.refused(self.stream(csv, "--columns=lode"), "lode", "load")

    def test_ragged_row_names_its_line(self):
        csv = self.write("a.csv", b"date,a,b\n2024-01-01,1,2\n2024-01-02,1\n")
        self.refused(self.stream(csv), "a.csv", "3")

    def test_text_where_a_number_belongs_names_line_and_column(self):
        csv = self.write("a.csv", b"date,a,b\n2024-01-01,1,2\n2024-01-02,1,high\n")
        self.refused(self.stream(csv), "high", "3", "b")

    def test_infinity_is_refused(self):
        csv = self.write("a.csv", b"date,a\n2024-01-01,1\n2024-01-02,inf\n")
        self.refused(self.stream(csv), "inf", "3")

    def test_empty_file_is_refused(self):
        self.refused(self.stream(self.write("a.csv", b"")), "a.csv")

    def test_late_row_names_its_line_where_it_stops_the_stream(self):
        csv = self.write("a.csv", b"date,a\n2024-01-01,1\n2024-01-02,1\n2024-01-03,1\n2024-01-01,2\n2024-01-04,1\n"
                                  b"2024-01-05,1\n2024-01-06,1\n2024-01-07,1\n2024-01-08,1\n2024-01-09,1\n2024-01-10,1\n"
                                  b"2024-01-11,1\n")
        self.refused(self.stream(csv, "--late=stop", "--lateness=0s"), "line 5")

    def test_crlf_and_byte_order_mark_and_repeated_times_are_accepted(self):
        csv = self.write("a.csv", b"\xef\xbb\xbfdate,a\r\n2024-01-01,1\r\n2024-01-01,2\r\n2024-01-02,\r\n")
        result = self.stream(csv, "--horizon=1")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = objects(result.stdout)
        self.assertEqual([row["value"] for row in rows], [2, None])
        self.assertEqual([row["seq"] for row in rows], [0, 1])

    def test_unknown_model_is_named(self):
        csv = self.write("a.csv", b"date,a\n2024-01-01,1\n")
        self.refused(self.stream(csv, "--model=oracle"), "oracle", "NOT_FOUND")

    def test_unknown_session_is_named(self):
        self.refused(aaren("sessions", "get", "ghost", f"--target={self.server.target}"), "ghost", "NOT_FOUND")

    def test_calibration_is_on_or_off(self):
        csv = self.write("a.csv", b"date,a\n2024-01-01,1\n")
        self.refused(self.stream(csv, "--calibrate=maybe"), "--calibrate=maybe is none of on, off")

    def test_horizon_beyond_the_models_is_named(self):
        csv = self.write("a.csv", b"date,a\n2024-01-01,1\n")
        self.refused(self.stream(csv, "--horizon=4000"), "4000")

    def test_no_server_says_where_it_looked(self):
        result = aaren("models", "list", "--target=127.0.0.1:1", timeout=60)
        self.refused(result, "127.0.0.1:1")

    def test_corrupt_snapshot_is_data_loss_and_leaves_the_session(self):
        write_series(self.path("in.csv"), 100)
        self.assertEqual(self.stream(self.path("in.csv"), "--session=s").returncode, 0)
        target = f"--target={self.server.target}"
        exported = aaren("sessions", "export", "s", target, f"--output={self.path('s.snapshot')}")
        self.assertEqual(exported.returncode, 0, exported.stderr)
        snapshot = bytearray(self.read("s.snapshot"))
        snapshot[len(snapshot) // 2] ^= 1
        self.write("bad.snapshot", bytes(snapshot))
        self.refused(aaren("sessions", "import", "s", target, f"--input={self.path('bad.snapshot')}", "--replace"), "DATA_LOSS")
        kept = aaren("sessions", "get", "s", target, "--json")
        self.assertIn('"next_seq":100', kept.stdout.replace(" ", ""))

    def test_file_without_an_end_is_no_snapshot(self):
        self.refused(aaren("sessions", "import", "s", f"--target={self.server.target}", "--input=/dev/zero"), "/dev/zero")

    def test_server_refuses_a_port_in_use(self):
        result = subprocess.run([os.path.join(BIN, "aaren-server"), f"--listen={self.server.target}", "--store=memory"], capture_output=True, text=True, timeout=30)
        self.refused(result, self.server.target.rsplit(":", 1)[1])

    def test_server_names_an_unknown_flag(self):
        result = subprocess.run([os.path.join(BIN, "aaren-server"), "--listem=x"], capture_output=True, text=True, timeout=30)
        self.refused(result, "listem")

    def test_server_names_an_unknown_config_field(self):
        config = self.write("server.textproto", b'listen: "127.0.0.1:0"\nlisten_hard: true\n')
        result = subprocess.run([os.path.join(BIN, "aaren-server"), f"--config={config}"], capture_output=True, text=True, timeout=30)
        self.refused(result, "listen_hard")

    def test_garbage_on_the_port_disturbs_nobody(self):
        host, port = self.server.target.rsplit(":", 1)
        for _ in range(20):
            with socket.create_connection((host, int(port))) as connection:
                connection.sendall(os.urandom(1000))
        write_series(self.path("in.csv"), 50)
        self.assertEqual(self.stream(self.path("in.csv"), "--horizon=1").returncode, 0)

    def test_ctrl_c_stops_the_client_cleanly(self):
        process = start_aaren("stream", f"--target={self.server.target}", "--source=system", "--interval=50ms", "--json")
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130)

    def ends(self, process):
        """Told twice, it does."""
        for _ in range(2):
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
        self.addCleanup(process.kill)
        self.assertEqual(process.wait(10), 143)

    def test_client_that_waits_for_the_writer_of_a_pipe_can_be_ended(self):
        os.mkfifo(self.path("pipe"))
        process = start_aaren("stream", f"--target={self.server.target}", f"--csv={self.path('pipe')}")
        self.ends(process)
        process.stderr.close()

    def test_client_whose_output_nobody_reads_can_be_ended(self):
        write_series(self.path("in.csv"), 2000)
        reader, writer = os.pipe()
        process = subprocess.Popen(
            [os.path.join(BIN, "aaren"), "stream", f"--target={self.server.target}", f"--csv={self.path('in.csv')}"],
            stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE, text=True)
        self.ends(process)
        self.assertIn("nobody reads standard output", process.stderr.read())
        process.stderr.close()
        os.close(reader)
        os.close(writer)

    def test_standard_input_is_read_though_there_is_a_file_of_its_name(self):
        self.write("-", b"other\n1\n")
        rows = subprocess.run([os.path.join(BIN, "aaren"), "stream", f"--target={self.server.target}", "--csv=-"],
                              input="load\n2\n", cwd=self.folder.name, capture_output=True, text=True, timeout=60)
        self.assertEqual([row["series"] for row in objects(rows.stdout)], ["load"], rows.stderr)

    def test_sigterm_drains_the_server_and_exits_zero(self):
        process = start_aaren("stream", f"--target={self.server.target}", "--source=system", "--interval=50ms", "--json")
        time.sleep(1)
        self.assertEqual(self.server.stop(), 0, self.server.log())
        process.kill()
        process.communicate()

    def test_full_disk_is_named(self):
        write_series(self.path("in.csv"), 2000)
        self.refused(self.stream(self.path("in.csv"), "--output=/dev/full", "--session=full"), "/dev/full")


if __name__ == "__main__":
    unittest.main()
