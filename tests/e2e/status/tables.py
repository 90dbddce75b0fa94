"""The status page as its tables."""

import html.parser
import urllib.request

# Elements without an end tag.
VOID = {"meta", "br", "link", "img", "input"}


class Page(html.parser.HTMLParser):
    """`tables`: of each section's id, rows as a dict from column to text.

    An element that is not ended, or ended by another's tag, is an error.
    """

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tables, self.elements, self.attributes = {}, [], []
        self.summary = ""
        self._open, self._section, self._head, self._row = [], None, [], None
        self._cell = None
        self.feed(text)
        self.close()
        if self._open:
            raise AssertionError(f"not ended: {self._open}")

    def handle_startendtag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += [(tag, *attr) for attr in attrs]

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag in VOID:
            return
        self._open.append((tag, dict(attrs)))
        if tag == "section":
            self._section = dict(attrs)["id"]
            self.tables[self._section] = []
        elif tag == "thead":
            self._head = []
        elif tag == "tr":
            self._row = []
        elif tag in ("th", "td"):
            self._cell = ""

    def handle_endtag(self, tag):
        opened, attrs = self._open.pop()
        if opened != tag:
            raise AssertionError(f"</{tag}> ends <{opened}>")
        if tag in ("th", "td"):
            if attrs.get("scope") == "col":
                self._head.append(self._cell)
            self._row.append(self._cell)
            self._cell = None
        elif tag == "tr" and self._row != self._head:
            if len(self._row) != len(self._head):
                raise AssertionError(f"{self._row} below {self._head}")
            self.tables[self._section].append(dict(zip(self._head, self._row)))

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data
        elif self._open and self._open[-1][1].get("id") == "summary":
            self.summary += data

    def row(self, section, column, value):
        """The row with that cell; None if there is none."""
        for row in self.tables[section]:
            if row[column] == value:
                return row
        return None


def get(address, opener=urllib.request.urlopen):
    with opener(f"http://{address}/", timeout=30) as reply:
        return Page(reply.read().decode())
