"""A TCP proxy on loopback that cuts every connection when told to."""

import socket
import threading
import time


class CuttingProxy:
    """`bytes_per_second` slows down what comes from the target, as a network does; none: as fast as it goes."""

    def __init__(self, target, bytes_per_second=None):
        self.bytes_per_second = bytes_per_second
        self.lead_to(target)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.sockets = set()  # guarded by lock
        self.forwarded = 0    # bytes, guarded by lock
        threading.Thread(target=self._accept, daemon=True).start()

    def lead_to(self, target):
        """Where connections go from now on."""
        host, port = target.rsplit(":", 1)
        self.upstream = (host, int(port))

    def cut(self):
        """Ends all connections at once, in the middle of whatever they were sending. Returns how many there were."""
        with self.lock:
            sockets, self.sockets = self.sockets, set()
        for s in sockets:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        return len(sockets) // 2

    def close(self):
        self.listener.close()
        self.cut()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.upstream)
            except OSError:  # the target is away
                client.close()
                continue
            with self.lock:
                self.sockets.update((client, server))
            threading.Thread(target=self._forward, args=(client, server, None), daemon=True).start()
            threading.Thread(target=self._forward, args=(server, client, self.bytes_per_second), daemon=True).start()

    def _forward(self, source, sink, bytes_per_second):
        try:
            while data := source.recv(4096):
                with self.lock:
                    self.forwarded += len(data)
                sink.sendall(data)
                if bytes_per_second:
                    time.sleep(len(data) / bytes_per_second)
        except OSError:
            pass
        with self.lock:
            self.sockets.discard(source)
        for s in (source, sink):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        source.close()
