"""Ranks memories for a data logger, and shows what decides."""

import wordline
from wordline.experiment import CompareWorkload, Experiment, Limits, Work

logger = Experiment(
    targets=["em064lx", "mt25ql128", "mt29f1g01"],
    workload=CompareWorkload(
        work=Work(kind="log", rate="50KB/s", record="4KiB"),
        limits=Limits(ram="64KiB"),
    ),
)
result = wordline.run(logger)
print(result.answer)
for verdict in result.verdicts:
    print(verdict["target"], "passes" if verdict["pass"] else "fails", verdict["limit"])
