"""Small graphs of the raw layout, types and splits of OGB's, of random numbers."""

from tests.e2e import folders


def _edges(rng, num_src, num_dst, count):
    return [(rng.randrange(num_src), rng.randrange(num_dst))
            for _ in range(count)]


def _rows(rng, count, columns):
    return [[round(rng.gauss(0, 1), 4) for _ in range(columns)]
            for _ in range(count)]


def write_products(folder, rng):
    """ogbn-products: 100 features, 47 classes, undirected edges once."""
    nodes = list(range(300))
    folders.write_ogb(
        folder, 300, _edges(rng, 300, 300, 1500), _rows(rng, 300, 100),
        [[v % 47] for v in nodes],
        {"train": nodes[:100], "valid": nodes[100:200], "test": nodes[200:]})


def write_mag(folder, rng):
    """ogbn-mag: four types and relations; only papers have features."""
    papers = list(range(120))
    folders.write_hetero(
        folder,
        {"author": (90, None, None), "field_of_study": (30, None, None),
         "institution": (10, None, None),
         "paper": (120, _rows(rng, 120, 128), [[v % 349] for v in papers])},
        {("author", "affiliated_with", "institution"):
             (_edges(rng, 90, 10, 90), None),
         ("author", "writes", "paper"): (_edges(rng, 90, 120, 300), None),
         ("paper", "cites", "paper"): (_edges(rng, 120, 120, 300), None),
         ("paper", "has_topic", "field_of_study"):
             (_edges(rng, 120, 30, 200), None)},
        {"paper": {"train": papers[:60], "valid": papers[60:90],
                   "test": papers[90:]}})
