"""How much RAM a log of write latencies needs at some rates."""

import wordline

# 31 accesses of 616 us and one of 2616 us, of 4 KiB each.
latencies_us = [616] * 20 + [2616] + [616] * 11
curve = wordline.buffer_curve(latencies_us, 4096, unit="us")
for rate in (1e6, 2e6, 4e6):
    peaks = curve.at(rate)
    print(f"{rate / 1e6:.0f} MB/s: {peaks.records_in_flight} B in whole records, {peaks.in_flight:.0f} B fluid")
print("16 KiB allow", curve.highest_rate(16384, records=True), "B/s")
