"""`partition` of text: OGB's, triples, DGL's chunks, tables of edges."""

import json
import os
import unittest

from tests.e2e.bad_input import small_inputs as small
from tests.e2e.bad_input.refusals import (RefusalTable, cases_of, cut, edit,
                                          metadata)

WEIGHT = "a weight, a decimal number that is finite and not negative"
WRONG = "INVALID_ARGUMENT: {in}"

ogb = cases_of("ogb", small.ogb_text, "--edge-weight", "w")
OGB = [
    ogb("a truncated row of edges", cut("raw/edge.csv", 2),
        WRONG + "/raw/edge.csv line 5: an empty cell; allowed: node ids 0 to "
        "3"),
    ogb("a truncated row of features", cut("raw/node-feat.csv", 3),
        WRONG + "/raw/node-feat.csv line 4: 1 cells; the first row has 2"),
    ogb("a file without its last row", cut("raw/edge.csv", 4),
        WRONG + "/raw/edge.csv has 4 rows; wanted: 5, as num-edge-list says"),
    ogb("fewer rows than counted", edit("raw/num-edge-list.csv", "5", "6"),
        WRONG + "/raw/w.csv has 5 rows; wanted: 6, as num-edge-list says"),
    ogb("more rows than counted", edit("raw/num-edge-list.csv", "5", "4"),
        WRONG + "/raw/w.csv line 5: one row more than the 4 wanted, as "
        "num-edge-list says"),
    ogb("another count of nodes", edit("raw/num-node-list.csv", "4", "5"),
        WRONG + "/raw/node-feat.csv has 4 rows; wanted: 5, as num-node-list "
        "says"),
    ogb("an unknown id", edit("raw/edge.csv", "3,1", "4,1"),
        WRONG + '/raw/edge.csv line 4: "4"; allowed: node ids 0 to 3'),
    ogb("an unknown id in a split", edit("split/only/train.csv", "2", "4"),
        WRONG + '/split/only/train.csv line 2: "4"; allowed: node ids 0 to 3 '
        "(if these are rows of edges: --edge-splits only)"),
    ogb("a NaN weight", edit("raw/w.csv", "0.25", "nan"),
        WRONG + '/raw/w.csv line 4: "nan"; allowed: ' + WEIGHT),
]

BUYS = "raw/relations/user___buys___item/"
typed = cases_of("ogb typed", small.ogb_typed, "--edge-weight", "w")
TYPED = [
    typed("an unknown type", edit("raw/triplet-type-list.csv", "item", "film"),
          WRONG + '/raw/triplet-type-list.csv line 1: "film" is no node type '
          "of num-node-dict; allowed: item, user"),
    typed("a type twice", edit("raw/num-node-dict.csv", "user,item\n2,3",
                               "user,item,item\n2,3,3"),
          WRONG + "/raw/num-node-dict.csv line 1: node type item is named "
          "twice"),
    typed("a relation twice", edit(
        "raw/triplet-type-list.csv", "user,buys,item\n",
        "user,buys,item\n" * 2),
          WRONG + "/raw/triplet-type-list.csv line 2: user,buys,item is listed "
          "twice"),
    typed("a wrong count of nodes", edit("raw/num-node-dict.csv", "2,3", "2,4"),
          WRONG + "/raw/node-feat/item/node-feat.csv has 3 rows; wanted: 4, as "
          "num-node-dict says"),
    typed("a wrong count of edges", edit(BUYS + "num-edge-list.csv", "4", "3"),
          WRONG + f"/{BUYS}w.csv line 4: one row more than the 3 wanted, as "
          "its num-edge-list says"),
    typed("an unknown id", edit(BUYS + "edge.csv", "0,2", "0,3"),
          WRONG + f'/{BUYS}edge.csv line 4: "3"; allowed: node ids 0 to 2'),
    typed("a truncated row", cut(BUYS + "edge.csv", 2),
          WRONG + f"/{BUYS}edge.csv line 4: an empty cell; allowed: node ids 0 "
          "to 2"),
    typed("a NaN weight", edit(BUYS + "w.csv", "0.25", "nan"),
          WRONG + f'/{BUYS}w.csv line 4: "nan"; allowed: {WEIGHT}'),
]

triples = cases_of("triples", small.triples)
TRIPLES = [
    triples("a truncated row", cut("raw/train.csv", 2),
            WRONG + "/raw/train.csv line 5: an empty cell; allowed: node ids 0 "
            "to 3"),
    triples("a wrong count", edit("raw/num-edge-list.csv", "5", "6"),
            WRONG + "/raw/train.csv has 5 rows; wanted: 6, as "
            "{in}/raw/num-edge-list says"),
    triples("an unknown id", edit("raw/train.csv", "3,1,1", "4,1,1"),
            WRONG + '/raw/train.csv line 4: "4"; allowed: node ids 0 to 3'),
    triples("an unknown relation", edit("raw/train.csv", "3,1,1", "3,2,1"),
            WRONG + '/raw/train.csv line 4: "2"; allowed: relation ids 0 to 1'),
    triples("an unknown id in a split", edit("raw/valid.csv", "0,3", "0,4"),
            WRONG + '/raw/valid.csv line 1: "4"; allowed: node ids 0 to 3'),
    triples("a name twice", edit("raw/relation.csv", "knows", "likes"),
            WRONG + '/raw/relation.csv line 2: "likes" is in line 1 already; '
            "change the name in the file, or give --relation-names numbers to "
            "call the relations r0, r1, ..."),
    triples("too few names", edit("raw/relation.csv", "knows\n", ""),
            WRONG + "/raw/relation.csv has no name of relation 1; allowed: a "
            "name for each of the 2 that num-relation-list says"),
    triples("weights, which there are none of", None,
            "INVALID_ARGUMENT: --edge-weight w with triples "
            "({in}/raw/num-relation-list); allowed: none, they have no such "
            "files", "--edge-weight", "w"),
]

DENSE = ("a dense id, a whole number from 0, without leading zeros (edge "
         "lists: others with --ids auto)")
dgl = cases_of("dgl csv", small.dgl_csv, "--format", "dgl-chunked")
DGL = [
    dgl("a truncated row", cut("buys-1.csv", 2),
        WRONG + "/buys-1.csv line 2, column 1: an empty cell; allowed: " +
        DENSE),
    dgl("a chunk without its last row", cut("buys-1.csv", 4),
        WRONG + "/metadata.json: edges.user:buys:item: 3 rows in 2 files; "
        "allowed: 4, as the type's number says; the first file that differs is "
        "{in}/buys-1.csv"),
    dgl("a truncated row of features", cut("feat-0.csv", 3),
        WRONG + "/feat-0.csv line 2: 1 cells; the first line has 2"),
    dgl("truncated metadata", cut("metadata.json", 9),
        WRONG + "/metadata.json line 1: this is no JSON here"),
    dgl("a chunk that is not there", lambda source: os.remove(
        source + "/buys-1.csv"),
        "NOT_FOUND: {in}/metadata.json: edges.user:buys:item: {in}/buys-1.csv: "
        "No such file or directory"),
    dgl("a wrong count of nodes", metadata("num_nodes_per_chunk",
                                           value=[[2], [2, 2]]),
        WRONG + "/metadata.json: node_data.item.feat: 3 rows in 2 files; "
        "allowed: 4, as the type's number says; the first file that differs is "
        "{in}/feat-1.csv"),
    dgl("a wrong count of edges", metadata("num_edges_per_chunk",
                                           value=[[3, 2]]),
        WRONG + "/metadata.json: edges.user:buys:item: 4 rows in 2 files; "
        "allowed: 5, as the type's number says; the first file that differs is "
        "{in}/buys-0.csv"),
    dgl("an unknown type", metadata("edge_type", value=["user:buys:film"]),
        WRONG + '/metadata.json: edge_type "user:buys:film": "film" is no node '
        "type; allowed: user, item"),
    dgl("data of an unknown type", metadata("node_data", "film", value={}),
        WRONG + '/metadata.json: node_data: there is no type "film"; allowed: '
        "user, item"),
    dgl("a type twice", metadata("node_type", value=["user", "user"]),
        WRONG + '/metadata.json: node_type has "user" twice'),
    dgl("an unknown id", edit("buys-1.csv", "0,2", "0,3"),
        "OUT_OF_RANGE: {in}/buys-1.csv line 2, column 1: 3 is no node of type "
        "item; allowed: 0 to 2"),
    dgl("a negative id", edit("buys-1.csv", "0,2", "0,-2"),
        WRONG + '/buys-1.csv line 2, column 1: "-2"; allowed: ' + DENSE),
    dgl("a NaN weight", edit("w-1.csv", "0.25", "nan"),
        WRONG + '/w-1.csv line 2, column 0: "nan"; allowed: ' + WEIGHT),
]


def tables(name, make, suffix, comma):
    """Of tables whose cells are divided by `comma`."""
    case = cases_of(name, make, "--format", "edge-list", "--features", "f*",
                    "--labels", "club", "--edge-weight", "w")
    edges, nodes = f"edges.{suffix}", f"nodes.{suffix}"
    swap = lambda file, old, new: edit(file, old.replace(",", comma),
                                       new.replace(",", comma))
    return [
        case("a truncated row of edges", cut(edges, 4),
             WRONG + f"/{edges} line 6: 2 cells; the first line has 3"),
        case("a truncated row of nodes", cut(nodes, 2),
             WRONG + f"/{nodes} line 5, column club: an empty cell; allowed: a "
             "decimal number in float32's range (nan and inf too)"),
        case("an unknown id", swap(edges, "3,1,", "4,1,"),
             WRONG + f'/{edges} line 5, column src: "4" is no id in the table '
             "of nodes; allowed: those in its column of ids"),
        case("a duplicate id", swap(nodes, "3,7,8,1\n", "3,7,8,1\n2,9,9,1\n"),
             WRONG + f"/{nodes} line 6, column id: node 2 is there a second "
             "time; allowed: each once"),
        case("a NaN weight", edit(edges, "0.25", "nan"),
             WRONG + f'/{edges} line 5, column w: "nan"; allowed: {WEIGHT}'),
        case("an unknown column", swap(edges, ",w", ",v"),
             WRONG + f'/{edges}: there is no column "w"; allowed: 0 to 2, or '
             "src, dst, v"),
        case("a column twice", swap(edges, "dst,w", "w,w"),
             WRONG + f'/{edges}: the column "w" is there 2 times; allowed: 0 '
             "to 2, or src, w, w"),
        case("a wrong count", None, WRONG + ": nodes of type node are 4 by "
             "their table, but 3 by num_nodes, count or indptr",
             "--num-nodes", "3"),
    ]


def config(said):
    return lambda source: small.write(source + "/c.json", json.dumps(said))


by_config = cases_of("a config", small.csv_tables, "--format", "edge-list",
                     "--config", "{here}/in/c.json")
TABLES = [
    *tables("csv", small.csv_tables, "csv", ","),
    *tables("tsv", small.tsv_tables, "tsv", "\t"),
    by_config("no edge type", config({"edges": {"user,knows": {}}}),
              WRONG + "/c.json: edges.user,knows is no edge type; allowed: "
              '"SOURCE,RELATION,DESTINATION", as in "author,writes,paper"'),
]


class RefusedTextTest(RefusalTable):
    CASES = OGB + TYPED + TRIPLES + DGL + TABLES

    def test_what_the_cases_change_works(self):
        for number, (make, *flags) in enumerate((
                (small.ogb_text, "--edge-weight", "w"),
                (small.ogb_typed, "--edge-weight", "w"), (small.triples,),
                (small.dgl_csv, "--format", "dgl-chunked"),
                (small.csv_tables, "--format", "edge-list", "--features", "f*"),
                (small.tsv_tables, "--format", "edge-list"))):
            source = f"{self.folder}/right{number}"
            make(source)
            self.works("partition", "--input", source, *flags, "--out",
                       source + ".graph", "--num-parts", "2")


if __name__ == "__main__":
    unittest.main()
