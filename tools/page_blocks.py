"""Blocks of code on Markdown pages, and what in those for a shell may never end."""

import dataclasses
import re

FENCE = re.compile(r" *(```|~~~)(\w*)")
ITEM = re.compile(r" *(?:[-*+]|\d+[.)]) +")
HEREDOC = re.compile(r"<<-?'?(\w+)'?")
# Where a command begins.
BEGIN = r"(?:^|[;|&(]|\b(?:do|then|else)\b)\s*"
LOOP = re.compile(BEGIN + r"(?P<word>for|while|until)\b(?!\s*\(\s*\w)")
DONE = re.compile(BEGIN + r"done\b(?P<after>[^;|&]*)")
# Words that a reader replaces: such a line cannot be pasted as it is.
PLACEHOLDER = re.compile(r"\.\.\.|(?<=[\s=])[A-Z][A-Z0-9]*\b")
BOUNDED = re.compile(BEGIN + r"timeout\s")

# What waits for others, unless the line also has the second pattern.
WAITS = [
    (BEGIN + r"wait\s*(?:$|[;|&])", None,
     "wait for all jobs ends when the last one does: name those that end"),
    (BEGIN + r"(?:curl|wget)\b", r"(?<!\S)(?:--max-time|-m|--timeout)\b",
     "a server that is silent: --max-time"),
    (r"\bkubectl\b.*\s(?:rollout status|wait|drain)\b", r"--timeout=", "--timeout is missing"),
    (r"\bkubectl\b.*\slogs\b.*\s(?:-f|--follow)\b", None, "follows a log without end"),
    (r"\bkubectl\b.*\sget\b.*\s(?:-w|--watch)\b", None, "watches without end"),
    (BEGIN + r"tail\s.*-[fF]\b", None, "follows a file without end"),
    (BEGIN + r"(?:watch|yes|sleep\s+inf\w*)\b", None, "never ends"),
    (r"\bfor\s*\(\(\s*;\s*;\s*\)\)", None, "loops without end"),
    (r"^\s*(?:import|from)\s+\w+", None, "Python, not a shell's: a fence that names it"),
    (BEGIN + r"tributary serve\b", r"&\s*(?:\w+=\$!\s*)?$",
     "a server in the foreground: start it with & and end it, or by timeout"),
]


@dataclasses.dataclass
class Block:
    """Lines of code, without their indentation; `line` is where they begin."""

    line: int
    language: str  # of a fence; "" without one
    lines: list

    def text(self):
        return "\n".join(self.lines) + "\n"

    def is_shell(self):
        return self.language in ("", "bash", "sh", "shell")


def indentation(line):
    return len(line) - len(line.lstrip(" "))


def take_fence(lines, at):
    mark, language = FENCE.match(lines[at]).groups()
    end = at + 1
    while end < len(lines) and not lines[end].lstrip().startswith(mark):
        end += 1
    return Block(at + 2, language, lines[at + 1:end]), end + 1


def take_indented(lines, at, indent):
    end = at
    while end < len(lines) and (not lines[end].strip() or indentation(lines[end]) >= indent):
        end += 1
    taken = [line[indent:] for line in lines[at:end]]
    while not taken[-1].strip():
        taken.pop()
    return Block(at + 1, "", taken), end


def blocks(text):
    """The blocks of a page, from top to bottom."""
    lines = text.split("\n")
    at, item = 0, 0  # the column where the text of a list's item begins
    while at < len(lines):
        line = lines[at]
        fresh = at == 0 or not lines[at - 1].strip() or lines[at - 1].startswith("#")
        if FENCE.match(line):
            block, at = take_fence(lines, at)
            yield block
        elif line.strip() and fresh and indentation(line) >= item + 4:
            block, at = take_indented(lines, at, item + 4)
            yield block
        else:
            if ITEM.match(line):
                item = ITEM.match(line).end()
            elif line.strip() and fresh and indentation(line) < item:
                item = 0
            at += 1


def commands(block):
    """(line, command) of a block for a shell: continued lines are one, comments and
    the texts of here-documents none."""
    waiting, begun, end = "", block.line, None
    for number, line in enumerate(block.lines, block.line):
        if end is not None:
            end = None if line.strip() == end else end
            continue
        line = re.sub(r"(?:^|(?<=\s))#.*", "", line)
        begun = begun if waiting else number
        if line.endswith("\\"):
            waiting += line[:-1] + " "
            continue
        yield begun, waiting + line
        end = HEREDOC.search(line)[1] if HEREDOC.search(line) else None
        waiting = ""


def endless_loops(found):
    """`while` and `until` go on as long as others say, unless they read a file."""
    open_loops = []
    for number, command in found:
        words = [(m.start("word"), m) for m in LOOP.finditer(command)]
        words += [(m.start(), m) for m in DONE.finditer(command)]
        for _, match in sorted(words, key=lambda word: word[0]):
            if "word" in match.groupdict():
                open_loops.append((number, match["word"], command[match.end():].split()[:3]))
            elif open_loops:
                number_of, word, condition = open_loops.pop()
                reads = "read" in condition and re.match(r"\s*<\s*[^<\s]", match["after"])
                if word != "for" and not reads:
                    yield number_of, f"{word} without a bound: an option --wait, or timeout"


def unbounded(text):
    """(line, reason) of all that may wait for ever on a page."""
    for block in blocks(text):
        if not block.is_shell():
            continue
        found = list(commands(block))
        yield from endless_loops(found)
        for number, command in found:
            if BOUNDED.search(command):
                continue
            for waits, bound, reason in WAITS:
                is_template = "tributary serve" in waits and PLACEHOLDER.search(command)
                if re.search(waits, command) and not is_template and not (
                        bound and re.search(bound, command)):
                    yield number, reason
