"""The autoscaler's rules, each by hand."""

import unittest

from tests.k8s.scaling import hpa


def settings(**changes):
    rules = {
        "least": 2, "most": 64,
        "up": hpa.Rules(0, (hpa.Policy("Percent", 100, 60),
                            hpa.Policy("Pods", 4, 60))),
        "down": hpa.Rules(300, (hpa.Policy("Percent", 50, 60),)),
    }
    return hpa.Settings(**{**rules, **changes})


class ProposalTest(unittest.TestCase):
    def test_an_average_value_is_an_absolute_number(self):
        self.assertEqual(hpa.proposed_replicas(7.2, 1, 4), 8)
        self.assertEqual(hpa.proposed_replicas(2.1, 1, 8), 3)
        self.assertEqual(hpa.proposed_replicas(0, 1, 8), 0)
        self.assertEqual(hpa.proposed_replicas(12, 3, 8), 4)

    def test_a_tenth_more_or_less_changes_nothing(self):
        self.assertEqual(hpa.proposed_replicas(10.98, 1, 10), 10)
        self.assertEqual(hpa.proposed_replicas(11.02, 1, 10), 12)
        self.assertEqual(hpa.proposed_replicas(9.02, 1, 10), 10)
        self.assertEqual(hpa.proposed_replicas(8.98, 1, 10), 9)


class AutoscalerTest(unittest.TestCase):
    def test_growth_is_at_most_the_larger_policy_a_minute(self):
        scaler = hpa.Autoscaler(settings())
        self.assertEqual(scaler.sync(0, 64, 2, 2), 6)  # 4 pods
        self.assertEqual(scaler.sync(15, 64, 6, 6), 6)
        self.assertEqual(scaler.sync(59, 64, 6, 6), 6)
        self.assertEqual(scaler.sync(60, 64, 6, 6), 12)  # 100 %
        self.assertEqual(scaler.sync(120, 64, 12, 12), 24)
        self.assertEqual(scaler.sync(180, 20, 24, 24), 24)

    def test_select_policy_min_takes_the_smaller_one(self):
        up = hpa.Rules(0, (hpa.Policy("Percent", 100, 60),
                           hpa.Policy("Pods", 4, 60)), "Min")
        scaler = hpa.Autoscaler(settings(up=up))
        self.assertEqual(scaler.sync(0, 64, 3, 3), 6)
        self.assertEqual(scaler.sync(60, 64, 6, 6), 10)

    def test_shrinking_takes_the_largest_number_of_five_minutes(self):
        scaler = hpa.Autoscaler(settings())
        self.assertEqual(scaler.sync(0, 20, 20, 20), 20)
        self.assertEqual(scaler.sync(15, 4, 20, 20), 20)
        self.assertEqual(scaler.sync(150, 12, 20, 20), 20)
        self.assertEqual(scaler.sync(299, 4, 20, 20), 20)
        self.assertEqual(scaler.sync(301, 4, 20, 20), 12)
        self.assertEqual(scaler.sync(451, 4, 12, 12), 6)  # half a minute
        self.assertEqual(scaler.sync(466, 4, 6, 6), 6)
        self.assertEqual(scaler.sync(511, 4, 6, 6), 4)

    def test_growth_may_be_asked_to_last(self):
        up = hpa.Rules(60, (hpa.Policy("Percent", 100, 60),))
        scaler = hpa.Autoscaler(settings(up=up))
        self.assertEqual(scaler.sync(0, 4, 4, 4), 4)
        self.assertEqual(scaler.sync(45, 8, 4, 4), 4)  # 4 was enough just now
        self.assertEqual(scaler.sync(61, 7, 4, 4), 7)

    def test_never_beyond_the_bounds(self):
        scaler = hpa.Autoscaler(settings())
        self.assertEqual(scaler.sync(0, 500, 60, 60), 64)
        scaler = hpa.Autoscaler(settings())
        self.assertEqual(scaler.sync(0, 0, 3, 3), 2)
        self.assertEqual(scaler.sync(15, 0, 1, 1), 2)  # someone's kubectl scale
        self.assertEqual(scaler.sync(30, 3, 99, 99), 64)

    def test_without_an_answer_nothing_changes(self):
        self.assertEqual(hpa.Autoscaler(settings()).sync(0, None, 9, 9), 9)


if __name__ == "__main__":
    unittest.main()
