"""Cuts a long list of keys into pages on a cluster: the files that `tamis shard` makes on one machine.

    spark-submit shard.py keys.txt /shared/pages --pages 83334 --tamis "npx tamis"

Each executor runs the command line of tamis, so Node and the package must be on each machine. It moves hashes of 8
bytes, and hashes nothing itself. The folder must be one that all machines share. Pages of a billion keys take about
1.2 GB, and twice that while they are joined.
"""

import argparse
import shlex
import subprocess

from pyspark.sql import SparkSession


def read_arguments():
    parser = argparse.ArgumentParser(description="Cuts a long list of keys into pages, by Spark.")
    parser.add_argument("keys", help="a file or folder with a key on each line, as Spark reads it")
    parser.add_argument("folder", help="the folder of the pages, which all machines share")
    parser.add_argument("--pages", type=int, required=True, help="one for each 12,000 distinct keys")
    parser.add_argument("--tasks", type=int, default=8, help="pieces that are built at the same time")
    parser.add_argument("--tamis", default="npx tamis", help="how the command line is run")
    parser.add_argument("--name", default="list", help="the name that the files begin with")
    parser.add_argument("--sign", help="the file of the private key that signs the manifest")
    return parser.parse_args()


def page_of(record):
    """The page of a line that `tamis hash` wrote."""
    return int(record[:8], 16)


def build_pages(command, first, end, folder, pages, records):
    """Runs `tamis pages` for the pages from `first` on that are before `end`; gives what it prints."""
    options = ["--pages", str(pages), "--range", f"{first}:{end}", "--output", folder]
    program = subprocess.Popen(
        [*command, "pages", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    for record, _ in records:
        program.stdin.write(record + "\n")
    said = program.communicate()[0]
    if program.returncode != 0:
        raise RuntimeError(f"tamis pages ended with {program.returncode}")
    return said


def main():
    given = read_arguments()
    command, folder, pages = shlex.split(given.tamis), given.folder, given.pages
    tasks = min(given.tasks, pages)
    bounds = [task * pages // tasks for task in range(tasks + 1)]

    spark = SparkSession.builder.appName("tamis pages").getOrCreate()
    lines = spark.sparkContext.textFile(given.keys)
    records = lines.pipe(shlex.join([*command, "hash", "--pages", str(pages)]), checkCode=True)
    sorted_records = records.map(lambda record: (record, None)).repartitionAndSortWithinPartitions(
        tasks, lambda record: ((page_of(record) + 1) * tasks - 1) // pages
    )
    built = sorted_records.mapPartitionsWithIndex(
        lambda task, records: [
            build_pages(command, bounds[task], bounds[task + 1], folder, pages, records)
        ]
    )
    for said in built.collect():
        print(said, end="")
    spark.stop()

    publication = ["--name", given.name] + (["--sign", given.sign] if given.sign else [])
    subprocess.run([*command, "manifest", folder, *publication], check=True)


if __name__ == "__main__":
    main()
