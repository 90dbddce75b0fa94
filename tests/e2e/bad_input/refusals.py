"""Tables of inputs with one fault each, which `partition` refuses.

A case's message is asserted to the letter: one line that says what is wrong, in
which file, line or row and column, and what is allowed; a note on types without
features may precede it. As for all tables of bad input, nothing may be left:
neither the output nor the work folder.
"""

import functools
import json
import os

import numpy as np

from tests.e2e.bad_input import small_inputs as small
from tests.e2e.bad_input.cases import FAILURE, Case, Table


def edit(file, old, new):
    """In a file of text, of which `old` is one place."""
    def spoil(source):
        with open(f"{source}/{file}", encoding="utf-8") as f:
            text = f.read()
        assert text.count(old) == 1, (text, old)
        small.write(f"{source}/{file}", text.replace(old, new))
    return spoil


def cut(file, size):
    """Takes the last `size` bytes of a file."""
    def spoil(source):
        path = f"{source}/{file}" if file else source
        os.truncate(path, os.path.getsize(path) - size)
    return spoil


def metadata(*keys, value):
    """Sets what is at the keys of metadata.json."""
    def spoil(source):
        path = source + "/metadata.json"
        with open(path, encoding="utf-8") as f:
            said = json.load(f)
        functools.reduce(lambda at, key: at[key], keys[:-1], said)[
            keys[-1]] = value
        small.write(path, json.dumps(said))
    return spoil


def element(file, *index, value):
    """Sets an element of a .npy file."""
    def spoil(source):
        np.save(f"{source}/{file}",
                changed(np.load(f"{source}/{file}"), *index, value=value))
    return spoil


def changed(array, *index, value):
    array = array.copy()
    array[index] = value
    return array


def cases_of(name, make, *flags, input="in"):
    """A function that makes cases of a format: `make` writes the input, `spoil`
    puts the fault into it, and `says` is what follows the name of the program,
    with {in} for the input's path."""
    def case(fault, spoil, says, *more):
        def prepare(here):
            make(f"{here}/{input}")
            if spoil:
                spoil(f"{here}/{input}")
        return Case(f"{name}: {fault}",
                    ("partition", "--input", "{here}/" + input, *flags, *more,
                     "--out", "{here}/out", "--num-parts", "2"),
                    (says.replace("{in}", "{here}/" + input),), FAILURE,
                    prepare)
    return case


class RefusalTable(Table):
    """Its cases have one word each: the whole message."""

    def check_refused(self, case, done):
        here = os.path.join(self.folder, self._testMethodName)
        says = self.fill(case.words[0], here)
        self.assertEqual(small.without_notes(done.stderr.decode()),
                         f"tributary partition: {says}\n")
        super().check_refused(Case(case.name, case.args, (says,)), done)
