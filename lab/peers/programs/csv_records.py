"""The records of texts in CSV. Standard input is a JSON array of texts; the output has an object for each.

`error` is why csv.reader refuses the text with strict=True. The records are those without strict.
"""

import csv
import io
import json
import sys


def records_of(text, strict):
    data = io.BytesIO(text.encode())
    with io.TextIOWrapper(data, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, strict=strict))


def answer(text):
    records = records_of(text, False)
    try:
        assert records_of(text, True) == records
        return {"records": records}
    except csv.Error as error:
        return {"records": records, "error": str(error)}


print(json.dumps([answer(text) for text in json.load(sys.stdin)]))
