-- traces | where count() == 3 and errors == 0 | stats n=count(), p=p50(duration), s=sum(`spans`)
WITH toUInt64(round(sum(c6))) AS c20,
  toInt64(round(arrayMap((s, q) -> if(length(s) > 1000, q, if(empty(s), NULL, arrayMap((v, c) -> arrayMap((v, c, h) -> arrayMap((v, c, h, i) -> v[i] + if(h > c[i] - 1, (v[least(i + 1, length(v))] - v[i]) * (h - c[i] + 1), 0), [v], [c], [h], [greatest(arrayFirstIndex(x -> x > h, c), 1)])[1], [v], [c], [0.5 * (c[-1] - 1)])[1], [s.1], [arrayCumSum(s.2)])[1])), [arraySort(arrayFilter(x -> NOT isNaN(x.1), groupArray(1001)((toFloat64((toUnixTimestamp64Nano(c8) - toUnixTimestamp64Nano(c9))), least(toFloat64(c6), 4294967296.)))))], [quantileExactWeightedInterpolated(0.5)(reinterpretAsFloat64(bitShiftLeft(bitShiftRight(reinterpretAsUInt64(toFloat64((toUnixTimestamp64Nano(c8) - toUnixTimestamp64Nano(c9)))) + 4398046511104, 43), 43)), toUInt64(round(least(toFloat64(c6), 4294967296.) * 256)))])[1])) AS c21,
  toInt64(round(sum((c15 * c6)))) AS c22
SELECT c20 AS r1,
  c21 AS r2,
  c22 AS r3
FROM (
  WITH trace_id AS c4,
    count() AS c19,
    countIf((status = 'error')) AS c17
  SELECT min(weight) AS c6,
    max((time + toIntervalNanosecond(duration))) AS c8,
    min(time) AS c9,
    count() AS c15
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c4
  HAVING ((c19 = {p5:Int64}) AND (c17 = {p6:Int64}))
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "3"
-- p6 = "0"
