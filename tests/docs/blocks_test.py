"""How blocks.py finds the C++ of pages and headers, and that it compiles: this
test depends on the object of what was found.
"""

import re
import unittest

from tests.docs import blocks

PAGE = """A page.

```cpp
auto a = F();
```

    tributary serve

```python
b = 1
```

```cpp
...
G(a, {...});
```
"""

HEADER = """// Does this:
//   1. one thing;
//   2. another;
//
//   nodes: "x"
//
// For example:
//
//   Thing thing;
//
//   thing.Do();  // at once
//   ...  // and so on
// Not thread-safe.
class Thing {
  //   Thing inner({...});
  void Do();
};
"""


COMPILED = "tests/docs/doc_blocks.cc"


class BlocksTest(unittest.TestCase):
    def test_pages_and_headers_were_compiled(self):
        with open(COMPILED, encoding="utf-8") as file:
            found = re.findall('^#line [0-9]+ "(.+)"$', file.read(), re.M)
        self.assertEqual(found.count("docs/distributed-data.md"), 4)
        self.assertIn("docs/training.md", found)
        self.assertIn("trainer_client/graph/dist_graph.h", found)
        self.assertIn("trainer_client/torch/nn/gnn_model.h", found)
        self.assertIn("sampler_server/server/sampler_server.h", found)
        # What it takes for granted is of files that have blocks.
        self.assertLessEqual(set(blocks.NAMES), set(found))

    def test_blocks_of_a_page(self):
        self.assertEqual(blocks.blocks_of_page(PAGE), [
            (4, "auto a = F();\n"), (14, "...\nG(a, {...});\n")])

    def test_a_page_has_no_cpp_in_other_blocks(self):
        for line in ("RETURN_IF_ERROR(F());", "auto a = F();"):
            with self.assertRaisesRegex(ValueError, "C.. without ```cpp"):
                blocks.blocks_of_page(f"A page.\n\n    {line}\n" + PAGE)

    def test_examples_of_a_header(self):
        self.assertEqual(blocks.examples_of_header(HEADER), [
            (9, "Thing thing;\n\nthing.Do();  // at once\n...  // and so on\n"),
            (15, "Thing inner({...});\n")])

    def test_a_later_block_is_in_the_scope_of_the_one_before(self):
        unit = blocks.translation_unit([("docs/p.md", PAGE)])
        self.assertIn('{\n#line 4 "docs/p.md"\nauto a = F();\n\n'
                      '{\n#line 14 "docs/p.md"\n\nG(a, {});\n\n}\n}\n', unit)

    def test_examples_include_their_header(self):
        unit = blocks.translation_unit([("a/thing.h", HEADER)])
        self.assertIn('#include "a/thing.h"', unit)

    def test_a_program_is_built_elsewhere_or_refused_by_the_compiler(self):
        page = "```cpp\nint main() {}\n```\n"
        known = next(iter(blocks.PROGRAMS))
        self.assertNotIn("int main()",
                         blocks.translation_unit([(known, page)]))
        self.assertIn("int main()", blocks.translation_unit([("p.md", page)]))


if __name__ == "__main__":
    unittest.main()
