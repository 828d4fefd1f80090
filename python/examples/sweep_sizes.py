"""Throughput of two memories over access sizes, as columns."""

import wordline

swept = wordline.sweep(
    """
    [experiment]
    targets = ["em064lx", "mt25ql128"]
    workload = { kind = "raw", operations = ["read"], total_bytes = "1 MiB" }

    [[axis]]
    field = "workload.access_bytes"
    range = { from = "512 B", to = "8 KiB", factor = 2 }
    """
)
for point in swept.failed:
    print(point.index, point.error)
means = {
    (row["target"], row["access_bytes"]): row["value"]
    for result in swept.results
    for row in result.rows
    if row["metric"] == "throughput_mean"
}
for (target, size), rate in sorted(means.items()):
    print(f"{target:32} {size:6} B  {rate / 1e6:8.2f} MB/s")
