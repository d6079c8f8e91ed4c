"""Values that are wrong, or that contradict one another, are refused by their names before anything is installed."""

import unittest

import chart
from chart import REDIS


class RefusalsTest(unittest.TestCase):
    def assert_refused(self, values, *words):
        run = chart.template(values)
        self.assertNotEqual(run.returncode, 0, values)
        for word in words:
            self.assertIn(word, run.stderr)

    def test_a_value_that_does_not_exist(self):
        self.assert_refused(["replica=2"], "'replica' not allowed")

    def test_a_setting_that_does_not_exist(self):
        self.assert_refused(["settings.max_row=2"], "/settings", "'max_row' not allowed")

    def test_a_setting_that_the_chart_makes(self):
        self.assert_refused(["settings.listen=0.0.0.0:1"], "/settings", "'listen' not allowed")

    def test_a_number_where_a_duration_belongs(self):
        self.assert_refused(["settings.save_interval=5"], "/settings/save_interval")

    def test_a_duration_without_a_unit(self):
        self.assert_refused(["redis.timeout=2sec"], "/redis/timeout")

    def test_a_store_that_does_not_exist(self):
        self.assert_refused(["store.kind=sql"], "/store/kind", "'rocksdb', 'redis', 'memory'")

    def test_an_address_without_a_port(self):
        self.assert_refused(["store.kind=redis", "redis.addresses={redis}"], "/redis/addresses/0")

    def test_no_server(self):
        self.assert_refused(["replicas=0"], "/replicas")

    def test_no_time_to_save(self):
        self.assert_refused(["graceSeconds=0"], "/graceSeconds")

    def test_a_secret_by_a_name_that_kubernetes_refuses(self):
        self.assert_refused(["tls.secretName=My_Secret"], "/tls/secretName")

    def test_several_servers_with_a_store_each_and_nothing_in_front(self):
        for kind in ("rocksdb", "memory"):
            self.assert_refused(["replicas=2", f"store.kind={kind}"], f"replicas: 2 servers with store.kind {kind}",
                                "use redis, or set envoy.enabled")

    def test_scaling_of_servers_with_a_store_each(self):
        self.assert_refused(["autoscaling.enabled=true", "envoy.enabled=true"], "autoscaling.enabled: with store.kind rocksdb")

    def test_a_scaling_by_nothing(self):
        self.assert_refused([*REDIS, "autoscaling.enabled=true", "autoscaling.cpu.enabled=false"], "autoscaling.enabled: none")

    def test_fewer_at_most_than_at_least(self):
        self.assert_refused([*REDIS, "autoscaling.enabled=true", "autoscaling.maxReplicas=1"], "autoscaling.minReplicas")

    def test_an_operators_service_for_every_tenants_admins(self):
        self.assert_refused(["adminPort=7862", "callers.secretName=callers"], "adminPort: callers or jwt", "settings.admin_tenant")

    def test_an_operators_tenant_where_nobody_is_known(self):
        self.assert_refused(["settings.admin_tenant=ops"], "settings.admin_tenant: neither callers nor jwt")

    def test_one_port_for_two_things(self):
        self.assert_refused(["adminPort=7861"], "adminPort: is that of metricsPort")

    def test_a_certificate_for_a_redis_without_tls(self):
        self.assert_refused([*REDIS, "redis.tls.clientCert=true"], "redis.tls.clientCert: needs redis.tls.secretName")

    def test_a_claim_for_several_servers(self):
        self.assert_refused(["persistence.existingClaim=mine", "replicas=2", "envoy.enabled=true"], "persistence.existingClaim: is of one")

    def test_a_claim_for_nothing(self):
        self.assert_refused(["persistence.existingClaim=mine", "store.kind=memory"], "persistence.existingClaim: needs store.kind")

    def test_a_label_that_the_chart_makes(self):
        self.assert_refused(["commonLabels.helm\\.sh/chart=x"], "'helm.sh/chart'")

    def test_redis_without_an_address(self):
        self.assert_refused(["store.kind=redis"], "redis.addresses: store.kind is redis")

    def test_an_address_of_redis_for_another_store(self):
        self.assert_refused(["redis.addresses={redis:6379}"], "store.kind: redis.addresses are given")

    def test_keys_of_tokens_without_an_issuer_and_an_audience(self):
        self.assert_refused(["jwt.configMapName=keys", "jwt.issuer=us"], "jwt.configMapName: needs jwt.issuer and jwt.audience")

    def test_authorities_of_a_collector_that_is_not_there(self):
        self.assert_refused(["traceCa.configMapName=authorities"], "traceCa.configMapName: needs settings.trace_endpoint")

    def test_certificates_of_clients_without_tls(self):
        self.assert_refused(["tls.clientCa=true"], "tls.clientCa: needs tls.secretName")

    def test_certificates_of_clients_behind_envoy(self):
        self.assert_refused(["tls.clientCa=true", "tls.secretName=tls", "envoy.enabled=true"], "tls.clientCa: Envoy")

    def test_certificates_of_envoys_clients_without_tls(self):
        self.assert_refused(["envoy.enabled=true", "replicas=2", "envoy.tls.clientCa=true"],
                            "envoy.tls.clientCa: needs envoy.tls.secretName")


if __name__ == "__main__":
    unittest.main()
