-- traces | where count() == 3 and errors == 0 | stats n=count(), p=p50(duration), s=sum(`spans`)
WITH toUInt64(round(sum(c6))) AS c20,
  toInt64(round(quantileTDigestWeightedOrNull(0.5)((toUnixTimestamp64Nano(c8) - toUnixTimestamp64Nano(c9)), toUInt64(round(c6 * 256))))) AS c21,
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
