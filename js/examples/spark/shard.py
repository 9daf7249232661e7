"""Cuts a long list of keys into pages on a cluster: the files that `tamis shard` makes on one machine.

    spark-submit shard.py keys.txt /shared/pages --name keys --pages 83334 --tamis "npx tamis"

Each executor runs the command line of tamis, so Node and the package must be on each machine. It moves hashes of 8
bytes, and hashes nothing itself. The folder must be one that all machines share. Pages of a billion keys take about
1.2 GB, and twice that while they are joined.
"""

import argparse
import json
import shlex
import subprocess
import uuid

from pyspark.sql import SparkSession


def read_arguments():
    parser = argparse.ArgumentParser(description="Cuts a long list of keys into pages, by Spark.")
    parser.add_argument("keys", help="a file or folder with a key on each line, as Spark reads it")
    parser.add_argument("folder", help="the folder of the pages, which all machines share")
    parser.add_argument("--name", required=True, help="the name of the list, which clients give too")
    parser.add_argument("--pages", type=int, required=True, help="one for each 12,000 distinct keys")
    parser.add_argument("--tasks", type=int, default=8, help="pieces that are built at the same time")
    parser.add_argument("--tamis", default="npx tamis", help="how the command line is run")
    parser.add_argument("--sign", help="the file of the signing key")
    return parser.parse_args()


def send(records, index, run, tasks, pages):
    """Gives the task of each line that `tamis hash` wrote. All tasks need the closing line, which begins with ~."""
    for record in records:
        if record.startswith("~"):
            # Spark may hash a piece again, whose closing line is to be the same.
            count = record.split("\t")[2]
            closing = f"~\t{run[:24]}{index:08x}\t{count}"
            for task in range(tasks):
                yield (task, closing), None
        else:
            page = int(record[:8], 16)
            yield (((page + 1) * tasks - 1) // pages, record), None


def build_pages(command, options, records):
    """Runs `tamis pages` on sorted records; gives the figures that it prints."""
    program = subprocess.Popen(
        [*command, "pages", *options, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    for (_, record), _ in records:
        program.stdin.write(record + "\n")
    said = program.communicate()[0]
    if program.returncode != 0:
        raise RuntimeError(f"tamis pages ended with {program.returncode}")
    return json.loads(said)


def main():
    given = read_arguments()
    command, pages = shlex.split(given.tamis), given.pages
    tasks = min(given.tasks, pages)
    bounds = [task * pages // tasks for task in range(tasks + 1)]
    run = uuid.uuid4().hex

    spark = SparkSession.builder.appName("tamis pages").getOrCreate()
    lines = spark.sparkContext.textFile(given.keys)
    records = lines.pipe(shlex.join([*command, "hash", "--pages", str(pages)]), checkCode=True)
    sent = records.mapPartitionsWithIndex(lambda index, some: send(some, index, run, tasks, pages))
    sorted_records = sent.repartitionAndSortWithinPartitions(tasks, lambda key: key[0])
    # Each piece of the list was hashed by a run of its own.
    options = ["--name", given.name, "--pages", str(pages), "--output", given.folder]
    options += ["--run", run, "--hashes", str(records.getNumPartitions())]
    built = sorted_records.mapPartitionsWithIndex(
        lambda task, some: [
            build_pages(command, [*options, "--range", f"{bounds[task]}:{bounds[task + 1]}"], some)
        ]
    ).collect()
    spark.stop()
    # Repeats are records too here, so that each one is accounted for.
    found, hashed = sum(part["records"] for part in built), built[0]["hashed"]
    if found != hashed:
        raise RuntimeError(f"{found} records came to tamis pages, of {hashed} that tamis hash printed")

    publication = ["--name", given.name] + (["--sign", given.sign] if given.sign else [])
    subprocess.run([*command, "manifest", given.folder, *publication], check=True)


if __name__ == "__main__":
    main()
