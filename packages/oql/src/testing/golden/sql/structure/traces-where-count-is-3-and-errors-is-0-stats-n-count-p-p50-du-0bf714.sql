-- traces | where count() == 3 and errors == 0 | stats n=count(), p=p50(duration), s=sum(`spans`)
WITH toUInt64(round(sum(c6))) AS c20,
  toInt64(round(arrayMap((t, q) -> multiIf(length(t.1) > 1000, q, empty(t.1), NULL, t.1[t.4] + if(t.3 > t.2[t.4] - 1, (t.1[least(t.4 + 1, length(t.1))] - t.1[t.4]) * (t.3 - t.2[t.4] + 1), 0)), [arrayMap(t -> (t.1, t.2, t.3, greatest(arrayFirstIndex(x -> x > t.3, t.2), 1)), [arrayMap(t -> (t.1, t.2, 0.5 * (t.2[-1] - 1)), [arrayMap(t -> (t.1, arrayCumSum(t.2)), [arraySort(arrayFilter(x -> NOT isNaN(x.1), groupArray(1001)((toFloat64((toUnixTimestamp64Nano(c8) - toUnixTimestamp64Nano(c9))), least(toFloat64(c6), 4294967296.)))))])[1]])[1]])[1]], [quantileExactWeightedInterpolated(0.5)(reinterpretAsFloat64(bitShiftLeft(bitShiftRight(reinterpretAsUInt64(toFloat64((toUnixTimestamp64Nano(c8) - toUnixTimestamp64Nano(c9)))) + 4398046511104, 43), 43)), toUInt64(round(least(toFloat64(c6), 4294967296.) * 256)))])[1])) AS c21,
  accurateCast(intDiv(sum((toInt128(c15) * toInt128(round(c6 * 4294967296)))) + if(sum((toInt128(c15) * toInt128(round(c6 * 4294967296)))) < 0, -2147483648, 2147483648), 4294967296), 'Int64') AS c22
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
