"""Tables of raw figures, which are one JSON object:

    {"options": {...}, "machine": {...}, "rows": {NAME: {"title", "includes", "beside",
     "versions": {PACKAGE: VERSION}, "failure": why there are no more turns, or null,
     "turns": [{"round", "batches", "seconds", "inputs", "edges", and for Tributary "limit",
                "limit_per_second", "used_per_second"}]}}}

A ratio is that of two turns of one round, so that other work on the machine, which is the same
for all rows of a round, counts little.
"""

import statistics

# How much the edges of a row's batches may differ from those of the row beside it.
MOST_DIFFERENCE = 0.02


def spread(values, form):
    """Writes a median, and the least and the most."""
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def rate(turn):
    return turn["inputs"] / turn["seconds"]


def by_round(row):
    return {turn["round"]: turn for turn in row["turns"]}


def ratios(row, other):
    """Returns the ratios of a row's rates to those of the row beside it, round by round."""
    turns, others = by_round(row), by_round(other)
    return [rate(turn) / rate(others[number]) for number, turn in turns.items()
            if number in others]


def edges(row):
    """Returns the edges of a batch."""
    return (sum(turn["edges"] for turn in row["turns"])
            / sum(turn["batches"] for turn in row["turns"]))


def title(row):
    versions = ", ".join(" ".join(pair) for pair in row["versions"].items())
    return f"{row['title']} ({versions})" if versions else row["title"]


def cells(name, row, rows):
    """Yields a row's cells."""
    yield f"`{name}`"
    yield title(row)
    yield row["includes"]
    if not row["turns"]:
        yield from ("", "", "", row["failure"])
        return
    beside = rows.get(row["beside"], {"turns": []})
    of_ours = ratios(row, beside)
    yield spread([rate(turn) / 1e3 for turn in row["turns"]], ".1f")
    if name == row["beside"]:
        yield "1"
    else:
        yield f"{spread(of_ours, '.2f')} of `{row['beside']}`" if of_ours else ""
    yield f"{edges(row) / 1e3:.1f}"
    notes = [row["failure"]] if row["failure"] else []
    if of_ours and abs(edges(row) / edges(beside) - 1) > MOST_DIFFERENCE:
        notes.append(f"its batches have {edges(row) / edges(beside):.2f} of these edges")
    yield "; ".join(notes)


def table(figures):
    """Yields the lines of the table of rows."""
    yield "| row | system | includes | thousand inputs/s | ratio | thousand edges a batch | note |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, row in figures["rows"].items():
        line = "| " + " | ".join(cells(name, row, figures["rows"]))
        yield line.rstrip() + " |"


def limits(figures):
    """Yields the lines of the table of limits, each measured right after a turn."""
    yield "| limit, a second | measured | row | of it |"
    yield "| --- | --- | --- | --- |"
    for name, row in figures["rows"].items():
        turns = [turn for turn in row["turns"] if "limit" in turn]
        if turns:
            measured = spread([turn["limit_per_second"] / 1e6 for turn in turns], ".0f")
            shares = [turn["used_per_second"] / turn["limit_per_second"] for turn in turns]
            yield (f"| {turns[0]['limit']} | {measured} million | `{name}` | "
                   f"{spread(shares, '.2f')} |")


def head(figures):
    """Returns what was measured, and where."""
    options, machine = figures["options"], figures["machine"]
    fanouts = ",".join(map(str, options["num_neighbors"]))
    return (f"{options['rounds']} rounds of {options['seconds']} s and more for each row; epochs "
            f"of {options['batches']} batches; R-MAT of 2^{options['scale']} "
            f"nodes and {options['edges']} edges, {options['feat_dim']} "
            f"float32 a node; {options['batch_size']} inputs, fanouts {fanouts} of in-edges, "
            f"without replacement; {options['workers']} workers; {machine['cores']} cores of "
            f"{machine['cpu']}, load {machine['load']}, {machine['date']}")


def text(figures):
    """Returns all of it."""
    return "\n".join([head(figures), "", *table(figures), "", *limits(figures)])
