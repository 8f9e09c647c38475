-- spans | where name == "GET /checkout" and self_time >= 29ms and duration < 1m | stats n=count(), least=min(self_time)
WITH toUInt64(round(sum(c2))) AS c19,
  if((toUnixTimestamp64Nano(c1) + toInt64(c3)) > {p1:Int64}, NULL, (toUnixTimestamp64Nano(c1) + toInt64(c3)) - toUnixTimestamp64Nano(c1) - toInt64(arrayReduce('intervalLengthSum', arrayMap(x -> least(greatest(x.1, toUnixTimestamp64Nano(c1)), (toUnixTimestamp64Nano(c1) + toInt64(c3))), c26), arrayMap(x -> greatest(least(x.2, (toUnixTimestamp64Nano(c1) + toInt64(c3))), toUnixTimestamp64Nano(c1)), c26)))) AS c18,
  minOrNull(c18) AS c20
SELECT c19 AS r1,
  c20 AS r2
FROM (
  SELECT weight AS c2,
    time AS c1,
    duration AS c3,
    trace_id AS c8,
    span_id AS c9
  FROM spans
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND ((name = {p7:String}) AND (duration < {p8:Int64}))
) AS l
LEFT JOIN (
  SELECT groupArray(tuple(toUnixTimestamp64Nano(time), (toUnixTimestamp64Nano(time) + toInt64(duration)))) AS c26,
    trace_id AS c24,
    parent_span_id AS c25
  FROM spans
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND time >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
  AND ((parent_span_id != toFixedString('', 8) AND parent_span_id != span_id) AND (trace_id IN (
    SELECT trace_id AS c8
    FROM spans
    WHERE workspace = {p3:UInt32}
    AND project = {p4:UInt32}
    AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND ((name = {p7:String}) AND (duration < {p8:Int64}))
  )))
  GROUP BY c24,
    c25
) AS r ON c8 = c24
AND c9 = c25
WHERE ifNull((c18 >= {p2:Int64}), false)
LIMIT 1001
-- p1 = "1795101000000000000"
-- p2 = "29000000"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096800000000000"
-- p6 = "1795100400000000000"
-- p7 = "GET /checkout"
-- p8 = "60000000000"
-- p9 = "1795096200000000000"
